# SPDX-License-Identifier: Apache-2.0
"""The values that Python gives expressions, computed within limits, so that no text takes much time or memory."""

import ast
import collections
import functools
import math
import operator
import re

from .expressions import BITS, Expression

MOST_STEPS = 1_000_000  # of one evaluation: parts, and elements of lists
LONGEST_LIST = 100_000


class Fault(Exception):
    """Why an operation has no value; whoever knows its place makes a Refusal of it."""


def check_number(value):
    if not isinstance(value, (int, float)):
        raise Fault("expected a number here")


def checked(result):
    """A result of integers and floats. Raises Fault where a template could not hold it."""
    if isinstance(result, complex):
        raise Fault("the result is no real number")
    if type(result) is int and not -(1 << BITS) <= result < 1 << BITS:
        raise Fault("the result has more than 63 bits")
    return result


OPERATIONS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
OF_INTEGERS = (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
COMPARISONS = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def compute(kind, a, b):
    """Python's value of an operation, without those that take long. Raises Fault."""
    if kind is ast.Add and isinstance(a, list) and isinstance(b, list):
        if len(a) + len(b) > LONGEST_LIST:
            raise Fault(f"a list of more than {LONGEST_LIST} elements")
        return a + b
    check_number(a)
    check_number(b)
    is_whole = isinstance(a, int) and isinstance(b, int)
    if kind in OF_INTEGERS and not is_whole:
        raise Fault("shifts and bit operations take integers")
    if kind in (ast.LShift, ast.RShift) and not 0 <= b < BITS:
        raise Fault("a shift must be by 0 to 62 bits")
    if kind is ast.Pow and is_whole and abs(a) > 1 and b > BITS:
        raise Fault("the result has more than 63 bits")
    try:
        return checked(OPERATIONS[kind](a, b))
    except ZeroDivisionError:
        raise Fault("division by 0") from None
    except OverflowError:
        raise Fault("the result is too large") from None


def range_of(*bounds):
    if not all(isinstance(bound, int) for bound in bounds):
        raise Fault("expected an integer here")
    if len(bounds) == 3 and bounds[2] == 0:
        raise Fault("the step of a range must not be 0")
    numbers = range(*bounds)
    if numbers[LONGEST_LIST : LONGEST_LIST + 1]:  # len() fails for very long ones
        raise Fault(f"a range of more than {LONGEST_LIST} numbers")
    return list(numbers)


def copy_of(elements):
    if not isinstance(elements, list):
        raise Fault("expected a list here")
    return list(elements)


def length_of(value):
    if not isinstance(value, (list, str)):
        raise Fault("only lists and texts have a length")
    return len(value)


def of_elements(function, complaint):
    """A function of a list's elements, or of its arguments."""

    def call(*arguments):
        elements = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
        try:
            return checked(function(elements))
        except TypeError:
            raise Fault(complaint) from None
        except ValueError:
            raise Fault("an empty list has no smallest or largest element") from None

    return call


def of_number(function):
    """A function of a number, which gives integers for themselves."""

    def call(value):
        check_number(value)
        if isinstance(value, float) and not abs(value) < 9e18 and function is not float:
            raise Fault("the result has more than 63 bits")
        return function(value)

    return call


def absolute_of(value):
    check_number(value)
    return checked(abs(value))


NO_ORDER = "these values have no order"
# The fewest arguments, the most, and the function.
FUNCTIONS = {
    "range": (1, 3, range_of),
    "list": (1, 1, copy_of),
    "tuple": (1, 1, copy_of),
    "len": (1, 1, length_of),
    "min": (1, LONGEST_LIST, of_elements(min, NO_ORDER)),
    "max": (1, LONGEST_LIST, of_elements(max, NO_ORDER)),
    "sum": (1, 1, of_elements(sum, "expected a number here")),
    "sorted": (1, 1, of_elements(sorted, NO_ORDER)),
    "abs": (1, 1, absolute_of),
    "pow": (2, 2, functools.partial(compute, ast.Pow)),
    "int": (1, 1, of_number(int)),
    "float": (1, 1, of_number(float)),
    "bool": (1, 1, bool),
    "ceil": (1, 1, of_number(math.ceil)),
    "floor": (1, 1, of_number(math.floor)),
}


def plain_function(name):
    """The function's name without its module."""
    return re.sub(r"^(?:math|np|numpy)\.", "", name)


def weight(value):
    return 1 + sum(map(weight, value)) if isinstance(value, list) else 1


class Evaluator(ast.NodeVisitor):
    """Computes the value that Python gives an expression, where tuples and ranges are lists."""

    def __init__(self, expression, names):
        self._expression = expression
        self._names = collections.ChainMap(names)
        self._steps = 0

    def visit(self, node):
        try:
            value = super().visit(node)
        except Fault as fault:
            self._expression.refuse(node, str(fault))
        self._steps += weight(value)
        if self._steps > MOST_STEPS:
            self._expression.refuse(node, f"more than {MOST_STEPS} steps: write the values out")
        return value

    def visit_Constant(self, node):
        return node.value

    def visit_Name(self, node):
        name = ast.unparse(node)
        if name not in self._names:
            raise Fault(unknown_name(name, self._names))
        return self._names[name]

    visit_Attribute = visit_Name

    def visit_List(self, node):
        return [self.visit(element) for element in node.elts]

    visit_Tuple = visit_List

    def visit_ListComp(self, node):
        of = node.generators[0]
        outer = self._names
        result = []
        for element in self._list(of.iter):
            self._names = outer.new_child({of.target.id: element})
            if all(map(self.visit, of.ifs)):
                result.append(self.visit(node.elt))
            self._names = outer
        return result

    visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node):
        arguments = list(map(self.visit, node.args))
        name = ast.unparse(node.func)
        if plain_function(name) not in FUNCTIONS:
            raise Fault(f"unknown function {name}; the functions are {', '.join(FUNCTIONS)}")
        fewest, most, function = FUNCTIONS[plain_function(name)]
        if not fewest <= len(arguments) <= most:
            raise Fault(f"{name} does not take {len(arguments)} arguments")
        return function(*arguments)

    def visit_Subscript(self, node):
        elements = self._list(node.value)
        index = self.visit(node.slice)
        if type(index) is not int or not -len(elements) <= index < len(elements):
            raise Fault(f"the index must be an integer below {len(elements)}, the number of elements")
        return elements[index]

    def visit_Compare(self, node):
        left = self.visit(node.left)
        for kind, operand in zip(map(type, node.ops), node.comparators):
            right = self.visit(operand)
            if kind in (ast.In, ast.NotIn) and not isinstance(right, list):
                raise Fault('expected a list after "in"')
            try:
                if not COMPARISONS[kind](left, right):
                    return False
            except TypeError:
                raise Fault(NO_ORDER) from None
            left = right
        return True

    def visit_BoolOp(self, node):
        for operand in node.values:
            value = self.visit(operand)
            if bool(value) == isinstance(node.op, ast.Or):
                break
        return value

    def visit_IfExp(self, node):
        return self.visit(node.body if self.visit(node.test) else node.orelse)

    def visit_UnaryOp(self, node):
        value = self.visit(node.operand)
        if isinstance(node.op, ast.USub):
            return compute(ast.Sub, 0, value)
        return value if isinstance(node.op, ast.UAdd) else not value

    def visit_BinOp(self, node):
        return compute(type(node.op), self.visit(node.left), self.visit(node.right))

    def _list(self, node):
        value = self.visit(node)
        if not isinstance(value, list):
            self._expression.refuse(node, "expected a list here")
        return value


def unknown_name(name, known):
    names = f"; known names are {', '.join(sorted(known))}" if known else ""
    return f'"{name}" is not known here{names}'


def evaluate(text, names):
    """The value of the expression, of names with values. Raises Refusal."""
    expression = Expression(text)
    return Evaluator(expression, names).visit(expression.root)
