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
TOO_WIDE = f"the result has more than {BITS} bits"


class Fault(Exception):
    """Why an operation has no value here; whoever knows its place makes a Refusal of it."""


OPERATIONS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
COMPARISONS = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def compute(kind, a, b):
    """An operation of numbers, or + of lists. Those that could take long raise Fault."""
    if not all(isinstance(one, (int, float)) for one in (a, b)):
        if kind is not ast.Add or not isinstance(a, list):
            raise Fault("expected a number here")
    elif kind in (ast.LShift, ast.RShift) and not 0 <= b < BITS:
        raise Fault("a shift must be by 0 to 62 bits")
    elif kind is ast.Pow and isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and b > BITS:
        raise Fault(TOO_WIDE)
    return OPERATIONS[kind](a, b)


def range_of(*bounds):
    numbers = range(*bounds)
    if numbers[LONGEST_LIST : LONGEST_LIST + 1]:  # len() fails for very long ones
        raise Fault(f"a range of more than {LONGEST_LIST} numbers")
    return list(numbers)


def of_elements(function):
    """The function, also of one number: that is the list of a parameter's values where there is one."""

    def call(*arguments):
        is_number = len(arguments) == 1 and isinstance(arguments[0], (int, float))
        return function(arguments) if is_number else function(*arguments)

    return call


FUNCTIONS = {
    "range": range_of,
    "list": list,
    "tuple": list,
    "len": len,
    "min": of_elements(min),
    "max": of_elements(max),
    "sum": of_elements(sum),
    "sorted": of_elements(sorted),
    "abs": abs,
    "pow": functools.partial(compute, ast.Pow),
    "int": math.trunc,  # of no text
    "float": float,
    "bool": bool,
    "ceil": math.ceil,
    "floor": math.floor,
}


def plain_function(name):
    """The function's name without its module."""
    return re.sub(r"^(?:math|np|numpy)\.", "", name)


def weight(value):
    return 1 + sum(map(weight, value)) if isinstance(value, list) else 1


def check_value(value):
    """Raises Fault for what a template could not hold, and for very long lists."""
    if isinstance(value, complex):
        raise Fault("the result is no real number")
    if type(value) is int and not -(1 << BITS) <= value < 1 << BITS:
        raise Fault(TOO_WIDE)
    if isinstance(value, list) and len(value) > LONGEST_LIST:
        raise Fault(f"a list of more than {LONGEST_LIST} elements")


class Evaluator(ast.NodeVisitor):
    """Computes the value that Python gives an expression, where tuples and ranges are lists."""

    def __init__(self, expression, names):
        self._expression = expression
        self._names = collections.ChainMap(names)
        self._steps = 0

    def visit(self, node):
        try:
            value = super().visit(node)
            check_value(value)
        except Fault as fault:
            self._expression.refuse(node, str(fault))
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._expression.refuse(node, f"Python says: {error.args[-1]}")
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
        return list(map(self.visit, node.elts))

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
        arguments = map(self.visit, node.args)
        name = ast.unparse(node.func)
        if plain_function(name) not in FUNCTIONS:
            raise Fault(f"unknown function {name}; the functions are {', '.join(FUNCTIONS)}")
        return FUNCTIONS[plain_function(name)](*arguments)

    def visit_Subscript(self, node):
        return self._list(node.value)[self.visit(node.slice)]

    def visit_Compare(self, node):
        left = self.visit(node.left)
        for op, operand in zip(node.ops, node.comparators):
            right = self._list(operand) if isinstance(op, (ast.In, ast.NotIn)) else self.visit(operand)
            if not COMPARISONS[type(op)](left, right):
                return False
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
