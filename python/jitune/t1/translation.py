# SPDX-License-Identifier: Apache-2.0
"""Translates Python's expressions over parameters into the language of kernel templates, of the same value."""

import ast
import enum
import functools
from typing import NamedTuple, Optional

from .evaluation import Evaluator, Fault, plain_function, unknown_name
from .expressions import BITS, LISTS, NAME, names_of

LARGEST_EXPONENT = 16
LONGEST_TRANSLATION = 20_000  # characters: operands that are repeated multiply the text


class Variable(NamedTuple):
    """What an expression may name, and its translation too."""

    is_text: bool
    can_be_negative: bool


class Level(enum.IntEnum):
    """How tight the outermost operator of a text binds."""

    DISJUNCTION = 0
    CONJUNCTION = 1
    INVERSION = 2
    COMPARISON = 3
    SUM = 4
    PRODUCT = 5
    PRIMARY = 6


class Kind(enum.Enum):
    TRUTH = "1 or 0"
    LOOSE = "as true as Python's value, but another value"
    INTEGER = "integer"
    REAL = "real"
    TEXT = "text"


class Piece(NamedTuple):
    """A part of a template's expression."""

    text: str
    level: Level = Level.PRIMARY
    kind: Kind = Kind.INTEGER
    can_be_negative: bool = True

    def within(self, least):
        """The text, in parentheses unless it binds as tight as `least`."""
        return f"({self.text})" if self.level < least else self.text


class Fraction(NamedTuple):
    """A number as a fraction, which is NULL where the denominator is 0."""

    numerator: Piece
    denominator: Optional[Piece]


def literal(value):
    """Raises Fault for what a template has no words for."""
    if isinstance(value, list):
        raise Fault("a list is not expected here")
    if isinstance(value, str):
        if not NAME.fullmatch(value):
            raise Fault(f"the text '{value}' is not a name of letters, digits and _")
        return Piece(f"'{value}'", kind=Kind.TEXT, can_be_negative=False)
    if isinstance(value, bool):
        return Piece(str(int(value)), kind=Kind.TRUTH, can_be_negative=False)
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise Fault("this value is not finite")
    kind = Kind.INTEGER if isinstance(value, int) else Kind.REAL
    return Piece(repr(value), Level.SUM if value < 0 else Level.PRIMARY, kind, value < 0)


def operation(a, symbol, b, level, kind=Kind.INTEGER):
    """a symbol b, of a left-associative operator."""
    text = f"{a.within(level)} {symbol} {b.within(Level(level + 1))}"
    return Piece(text, level, kind, a.can_be_negative or b.can_be_negative)


def wider(*pieces):
    """Real where one of them is."""
    return Kind.REAL if any(piece.kind is Kind.REAL for piece in pieces) else Kind.INTEGER


def negated(a):
    """0 - a: a template's expression takes a double minus for a comment."""
    return operation(Piece("0"), "-", a, Level.SUM, wider(a))


def times(a, b):
    """a, where there is no b."""
    return a if b is None else operation(a, "*", b, Level.PRODUCT, wider(a, b))


def floor_remainder(a, b):
    """Python's a % b of integers, exactly: a template's rounds towards zero."""
    plain = operation(a, "%", b, Level.PRODUCT)
    if not plain.can_be_negative:
        return plain
    return operation(operation(plain, "+", b, Level.SUM), "%", b, Level.PRODUCT)


def floor_quotient(a, b):
    """Python's a // b of integers."""
    if a.can_be_negative or b.can_be_negative:
        a = operation(a, "-", floor_remainder(a, b), Level.SUM)
    return operation(a, "/", b, Level.PRODUCT)


def real_quotient(a, b):
    """Python's a / b: integers divide as reals."""
    if wider(a, b) is Kind.INTEGER:
        a = times(a, Piece("1.0", kind=Kind.REAL, can_be_negative=False))
    return operation(a, "/", b, Level.PRODUCT, Kind.REAL)


SPELLINGS = {ast.Eq: "=", ast.NotEq: "<>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
NO_BITS = "bit operations are not supported"


class Translator(ast.NodeVisitor):
    """Makes a Piece of each part."""

    def __init__(self, expression, variables, constants):
        self._expression = expression
        self._variables = variables
        self._constants = constants

    def visit(self, node):
        piece = self._literal(node, self._value(node)) if self._is_constant(node) else super().visit(node)
        if len(piece.text) > LONGEST_TRANSLATION:
            self._refuse(node, "the translated expression is too long: simplify it")
        return piece

    def _refuse(self, node, message):
        self._expression.refuse(node, message)

    def _is_constant(self, node):
        return names_of(node) <= self._constants.keys()

    def _value(self, node):
        return Evaluator(self._expression, self._constants).visit(node)

    def _literal(self, node, value):
        try:
            return literal(value)
        except Fault as fault:
            self._refuse(node, str(fault))

    def generic_visit(self, node):
        self._refuse(node, "a list is not expected here")

    def visit_Name(self, node):
        name = ast.unparse(node)
        if name not in self._variables:
            self._refuse(node, unknown_name(name, {*self._variables, *self._constants}))
        variable = self._variables[name]
        return Piece(
            name,
            kind=Kind.TEXT if variable.is_text else Kind.INTEGER,
            can_be_negative=variable.can_be_negative,
        )

    visit_Attribute = visit_Name

    def _refuse_loose(self, node, piece):
        if piece.kind is Kind.LOOSE:
            self._refuse(
                node, '"and" and "or" of numbers have one of the numbers as value: compare them first'
            )

    def _exact(self, node):
        piece = self.visit(node)
        self._refuse_loose(node, piece)
        return piece

    def _number(self, node):
        """A value for arithmetic."""
        piece = self._exact(node)
        if piece.kind is Kind.TEXT:
            self._refuse(node, "expected a number here, not a text")
        return piece

    def _condition(self, node):
        """A value of which only the truth counts."""
        piece = self.visit(node)
        if piece.kind is Kind.TEXT:
            self._refuse(node, "expected a condition here, not a text")
        return piece

    def visit_UnaryOp(self, node):
        if isinstance(node.op, ast.UAdd):
            return self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            return negated(self._number(node.operand))
        text = "NOT " + self._condition(node.operand).within(Level.COMPARISON)
        return Piece(text, Level.INVERSION, Kind.TRUTH, False)

    def visit_BoolOp(self, node):
        is_and = isinstance(node.op, ast.And)
        level = Level.CONJUNCTION if is_and else Level.DISJUNCTION
        operands = list(map(self._condition, node.values))
        is_exact = all(one.kind is Kind.TRUTH for one in operands)
        text = (" AND " if is_and else " OR ").join(one.within(level) for one in operands)
        return Piece(text, level, Kind.TRUTH if is_exact else Kind.LOOSE, False)

    def visit_Compare(self, node):
        operands = [node.left, *node.comparators]
        texts = []
        for left, op, right in zip(operands, node.ops, operands[1:]):
            translate = self._membership if isinstance(op, (ast.In, ast.NotIn)) else self._comparison
            texts.append(translate(self._exact(left), op, right))
        level = Level.COMPARISON if len(texts) == 1 else Level.CONJUNCTION
        return Piece(" AND ".join(texts), level, Kind.TRUTH, False)

    def _comparison(self, left, op, node):
        right = self._exact(node)
        is_ordering = not isinstance(op, (ast.Eq, ast.NotEq))
        if is_ordering and (left.kind is Kind.TEXT) != (right.kind is Kind.TEXT):
            self._refuse(node, "a text and a number have no order")
        return f"{left.within(Level.SUM)} {SPELLINGS[type(op)]} {right.within(Level.SUM)}"

    def _membership(self, left, op, node):
        if self._is_constant(node):
            values = self._value(node)
            pieces = isinstance(values, list) and [self._literal(node, one) for one in values]
        else:
            pieces = isinstance(node, LISTS) and list(map(self._exact, node.elts))
        if pieces is False:
            self._refuse(node, 'expected a list after "in"')
        is_in = isinstance(op, ast.In)
        if not pieces:  # a template has no empty lists
            return "1 = 0" if is_in else "1 = 1"
        values = ", ".join(piece.text for piece in pieces)
        return f"{left.within(Level.SUM)} {'IN' if is_in else 'NOT IN'} ({values})"

    def visit_IfExp(self, node):
        value, otherwise = self.visit(node.body), self.visit(node.orelse)
        text = f"iif({self._condition(node.test).text}, {value.text}, {otherwise.text})"
        kinds = [value.kind, otherwise.kind]
        unlike = [kind for kind in (Kind.LOOSE, Kind.TEXT) if kind in kinds]  # of which the whole is no number either
        kind = unlike[0] if unlike else value.kind if kinds[0] is kinds[1] else wider(value, otherwise)
        return Piece(text, kind=kind, can_be_negative=value.can_be_negative or otherwise.can_be_negative)

    def visit_BinOp(self, node):
        kind = type(node.op)
        if kind in (ast.Mod, ast.FloorDiv):
            return self._division(node)
        if kind is ast.Pow:
            return self._power(node, node.left, node.right)
        if kind in (ast.BitAnd, ast.BitOr):
            return self._logical_bits(node)
        if kind in (ast.LShift, ast.RShift):
            return self._shift(node)
        a, b = self._number(node.left), self._number(node.right)
        if kind is ast.Div:
            return real_quotient(a, b)
        if kind is ast.Mult:
            return operation(a, "*", b, Level.PRODUCT, wider(a, b))
        if kind is ast.Add:
            return operation(a, "+", b, Level.SUM, wider(a, b))
        if kind is ast.Sub:
            return operation(a, "-", b, Level.SUM, wider(a, b))._replace(can_be_negative=True)
        self._refuse(node, NO_BITS)

    def _fraction(self, node):
        is_quotient = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        operands = [node.left, node.right] if is_quotient else [node]
        pieces = list(map(self._number, operands))
        if wider(*pieces) is Kind.REAL:
            self._refuse(node, "%, //, int, ceil and floor take integers and quotients of integers, not reals")
        return Fraction(pieces[0], pieces[1] if is_quotient else None)

    def _division(self, node):
        a, b = self._fraction(node.left), self._fraction(node.right)
        scaled_a, scaled_b = times(a.numerator, b.denominator), times(b.numerator, a.denominator)
        if isinstance(node.op, ast.FloorDiv):
            return floor_quotient(scaled_a, scaled_b)
        rest = floor_remainder(scaled_a, scaled_b)
        if a.denominator is None and b.denominator is None:
            return rest
        divisor = b.denominator if a.denominator is None else times(a.denominator, b.denominator)
        return real_quotient(rest, divisor)

    def _power(self, node, base, exponent):
        base = self._number(base)
        value = self._value(exponent) if self._is_constant(exponent) else None
        if type(value) is not int or not 0 <= value <= LARGEST_EXPONENT:
            self._refuse(
                node,
                f"a power must have an exponent from 0 to {LARGEST_EXPONENT}, without names: "
                "list the powers as values of a parameter",
            )
        if value == 0:
            return Piece("1", kind=base.kind, can_be_negative=False)
        multiply = functools.partial(operation, symbol="*", b=base, level=Level.PRODUCT, kind=base.kind)
        return functools.reduce(lambda product, _: multiply(product), range(value - 1), base)

    def _logical_bits(self, node):
        """Of truth values, "&" is "and" and "|" is "or"."""
        a, b = self.visit(node.left), self.visit(node.right)
        if a.kind is not Kind.TRUTH or b.kind is not Kind.TRUTH:
            self._refuse(node, NO_BITS)
        is_and = isinstance(node.op, ast.BitAnd)
        level = Level.CONJUNCTION if is_and else Level.DISJUNCTION
        return operation(a, "AND" if is_and else "OR", b, level, Kind.TRUTH)

    def _shift(self, node):
        a = self._number(node.left)
        if not self._is_constant(node.right):
            self._refuse(
                node, "a shift must be by a number, without names: list the values of a parameter"
            )
        bits = self._value(node.right)
        if type(bits) is not int or not 0 <= bits < BITS:
            self._refuse(node, f"a shift must be by 0 to {BITS - 1} bits")
        factor = literal(1 << bits)
        if isinstance(node.op, ast.LShift):
            return operation(a, "*", factor, Level.PRODUCT)
        return floor_quotient(a, factor)

    def visit_Call(self, node):
        name = plain_function(ast.unparse(node.func))
        count = len(node.args)
        if name in ("min", "max") and count >= 2:
            operands = list(map(self._number, node.args))
            text = f"{name}({', '.join(one.text for one in operands)})"
            can_be_negative = any(one.can_be_negative for one in operands)
            return Piece(text, kind=wider(*operands), can_be_negative=can_be_negative)
        if name == "pow" and count == 2:
            return self._power(node, *node.args)
        if name == "abs" and count == 1:
            operand = self._number(node.args[0])
            return Piece(f"abs({operand.text})", kind=operand.kind, can_be_negative=False)
        if name in ("int", "ceil", "floor") and count == 1:
            return self._rounded(name, node.args[0])
        self._refuse(
            node,
            f"{ast.unparse(node.func)} of {count} arguments is not supported in a formula over parameters; "
            "functions are min and max of two or more, abs, pow, int, ceil and floor",
        )

    def _rounded(self, name, node):
        a, b = self._fraction(node)
        if b is None:
            return a
        if name == "int":
            return operation(a, "/", b, Level.PRODUCT)
        if name == "floor":
            return floor_quotient(a, b)
        if not a.can_be_negative and not b.can_be_negative:
            return Piece(f"ceil_div({a.text}, {b.text})", can_be_negative=False)
        return negated(floor_quotient(negated(a), b))


def translate(expression, variables, constants):
    """The expression in the language of kernel templates, of the same value for all values of the variables.

    a <= b < c becomes a <= b AND b < c. A truth value is 1 or 0, and where Python raises an exception, as in a division
    by 0, the result is NULL. In % and // a quotient counts as the exact fraction, which Python rounds. `constants` have
    values. Raises Refusal for what templates have no words for.
    """
    return Translator(expression, variables, constants).visit(expression.root).text
