# SPDX-License-Identifier: Apache-2.0
"""Python's expressions in tuning problems, against CPython's own values. SQLite evaluates the translations: its
expressions are those of kernel templates."""

import itertools
import math
import random
import sqlite3

import pytest

from jitune.t1.document import Refusal
from jitune.t1.evaluation import Evaluator, evaluate
from jitune.t1.expressions import Expression, names_of
from jitune.t1.translation import Kind, Translator, Variable, translate

VARIABLES = {
    "a": Variable(is_text=False, can_be_negative=False),
    "b": Variable(is_text=False, can_be_negative=False),
    "c": Variable(is_text=False, can_be_negative=True),
    "mode": Variable(is_text=True, can_be_negative=False),
}
CONSTANTS = {"ProblemSize": [640, 480]}
NAMESPACE = {"math": math, "ceil": math.ceil, "floor": math.floor}
POINTS = [dict(zip("abc", point)) for point in itertools.product((0, 1, 2, 7), (1, 2, 4), (-7, -1, 0, 1, 6))]


def translated(text):
    return translate(Expression(text), VARIABLES, CONSTANTS)


def refusal(function, *arguments):
    with pytest.raises(Refusal) as caught:
        function(*arguments)
    return str(caught.value)


def ceil_div(a, b):
    return None if b == 0 else -(-a // b)


@pytest.fixture(scope="module")
def sqlite():
    connection = sqlite3.connect(":memory:")
    connection.create_function("ceil_div", 2, ceil_div, deterministic=True)
    return lambda text, point: connection.execute(
        f"SELECT {text} FROM (SELECT :a AS a, :b AS b, :c AS c)", point
    ).fetchone()[0]


@pytest.mark.parametrize(
    "python",
    [
        "[1, 2, 4]",
        "[1, 2, 4, 8, 16] + list(range(32, 96+1, 32))",
        "[2**i for i in range(0, 6)]",
        "[1] + [2 * i for i in range(1, 4)]",
        "[i for i in range(10) if i % 3 == 0]",
        "list(i * i for i in range(3))",
        "sorted([3, 1] + [2])",
        "['a', \"b\"]",
        "[True, False]",
        "[1, 2, 3][-1]",
        "[7 // -2, -7 // 2, 7 % -2, -7 % 2]",
        "[7 / 2, 8 / 2]",
        "[-7.5 // 2, -7.5 % 2, 7.5 % -2]",
        "[2 ** 10, 2 ** -1, -2 ** 2]",
        "[1 << 4, 256 >> 3, -1 >> 1]",
        "[6 & 3, 6 | 3, 6 ^ 3]",
        "True + 1",
        "[0 or 3, 0 and 3, not 3]",
        "[1 < 2 < 3, 1 == 1.0, 'a' == 1, 2 in [1, 2]]",
        "5 if 1 > 2 else 6",
        "[min(3, 1), max([1, 5]), abs(-2), len([1, 2]), sum([1, 2])]",
        "[int(3.7), int(-3.7), math.ceil(3.2), floor(-3.2)]",
        "[1e3, .5, 0x10, 1.]",
    ],
)
def test_values_are_pythons(python):
    assert evaluate(python, {}) == eval(python, NAMESPACE)


def test_sequences_are_lists():
    assert evaluate("1, 2", {}) == [1, 2]
    assert evaluate("(3,)", {}) == [3]
    assert evaluate("range(5, 0, -2)", {}) == [5, 3, 1]
    assert evaluate("\n 1 +\n 2 ", {}) == 3


@pytest.mark.parametrize(
    "python, reason",
    [
        ("n + 1", 'position 1: "n" is not known here'),
        ("os.system('x')", "unknown function os.system; the functions are range, list"),
        ("range()", "Python says: range expected at least 1 argument"),
        ("range(1, 2, 0)", "Python says: range() arg 3 must not be zero"),
        ("9223372036854775807 + 1", "more than 63 bits"),
        ("2 ** 63", "more than 63 bits"),
        ("2 ** 10 ** 10", "more than 63 bits"),
        ("1 << 63", "0 to 62 bits"),
        ("1 // 0", "by zero"),
        ("1.5 % 0", "Python says: float modulo"),
        ("0 ** -1", "negative power"),
        ("1e308 ** 2", "Python says: Numerical result out of range"),
        ("(-8) ** 0.5", "no real number"),
        ("max([])", "empty"),
        ("max(1, 'a')", "not supported between instances"),
        ("[1, 2][2]", "list index out of range"),
        ("1[0]", "expected a list"),
        ("len(3)", "has no len()"),
        ("'a' + 1", "expected a number"),
        ("int(1e300)", "more than 63 bits"),
        ("int('3')", "str"),
        ("[0] * 10**9", "expected a number"),
        ("'%99999999d' % 1", "expected a number"),
        ("[i for i in 3]", "expected a list"),
        ("[i + j for i in [1] for j in [2]]", 'one "for" and one "if"'),
        ("range(10**9)", "a range of more than 100000 numbers"),
        ("range(-10**18, 10**18)", "a range of more than 100000 numbers"),
        ("[range(99999) for i in range(99999)]", "steps"),
        ("[[x for i in range(9999)] for x in [list(range(9999))]]", "steps"),
        ("list(range(99999)) + list(range(99999))", "a list of more than"),
    ],
)
def test_no_value_has_a_reason(python, reason):
    assert reason in refusal(evaluate, python, {})


def test_names_are_those_outside_of_comprehensions():
    text = "[a * i for i in range(b)] + [max(c)]"
    assert names_of(Expression(text).root) == {"a", "b", "c"}
    assert evaluate("[a * i for i in range(b)]", {"a": 3, "b": 3}) == [0, 3, 6]


@pytest.mark.parametrize(
    "python, template",
    [
        ("32 <= a*b <= 1024", "32 <= a * b AND a * b <= 1024"),
        ("a == 0 or b % 32 != 0", "a = 0 OR b % 32 <> 0"),
        ("not (a == 1 and b == 2)", "NOT (a = 1 AND b = 2)"),
        ("a in [1, 2, 4]", "a IN (1, 2, 4)"),
        ("a not in (1, b)", "a NOT IN (1, b)"),
        ("a in range(8, 33, 8)", "a IN (8, 16, 24, 32)"),
        ("a in []", "1 = 0"),
        ("mode == 'row'", "mode = 'row'"),
        ('mode in ["row", "col"]', "mode IN ('row', 'col')"),
        ("min(a, b, 3) < max(a, 2) + abs(c)", "min(a, b, 3) < max(a, 2) + abs(c)"),
        ("a if b > 1 else 3", "iif(b > 1, a, 3)"),
        ("(a > 1) & (b > 1) | (c > 1)", "a > 1 AND b > 1 OR c > 1"),
        # What C writes.
        ("a && !b || a <> 3", "a AND NOT b OR a <> 3"),
        ("!a == 1", "(NOT a) = 1"),
        ("not a == 1", "NOT a = 1"),
        # The order of operations.
        ("(a + b) * 2", "(a + b) * 2"),
        ("a + (b * 2)", "a + b * 2"),
        ("a - (b - 1)", "a - (b - 1)"),
        ("a - b - 1", "a - b - 1"),
        ("(a - 1) * -2", "(a - 1) * (-2)"),
        ("(a or b) and a", "(a OR b) AND a"),
        ("(a < b) + (b < 3) > 1", "(a < b) + (b < 3) > 1"),
        ("-a + 1", "0 - a + 1"),
        # Constant parts.
        ("a < 12*1024", "a < 12288"),
        ("a < 2**10 + len([1, 2])", "a < 1026"),
        ("ProblemSize[0] // a", "640 / a"),
        ("a <= max(ProblemSize)", "a <= 640"),
        ("a < 0.5 * 3", "a < 1.5"),
        ("True", "1"),
        # Divisions.
        ("a // b", "a / b"),
        ("a % b", "a % b"),
        ("a / b > 2", "a * 1.0 / b > 2"),
        ("a % 4 // b", "a % 4 / b"),
        ("c % b", "(c % b + b) % b"),
        ("a % ((b * 8) / 2) == 0", "a * 2 % (b * 8) * 1.0 / 2 = 0"),
        ("math.ceil(a / b)", "ceil_div(a, b)"),
        ("int(a / b) + floor(a / 2)", "a / b + a / 2"),
        ("a >> 3", "a / 8"),
        ("a << 3", "a * 8"),
        # Powers.
        ("a ** 2 < 100", "a * a < 100"),
        ("(a + 1) ** 2", "(a + 1) * (a + 1)"),
        ("a ** 0", "1"),
        ("pow(a, 3)", "a * a * a"),
    ],
)
def test_translations(python, template):
    assert translated(python) == template


FORMULAS = [
    "a // b - c // b",
    "c % b * 10 + c // b",
    "c // -2",
    "c % -b",
    "(c - a) % 3",
    "-c // 2",
    "-(c % 3)",
    "c % ((a + 1) / b)",
    "a // (b / 2)",
    "(c / b) % 2",
    "math.ceil(c / b)",
    "math.floor(c / b)",
    "int(c / b)",
    "c >> 1",
    "c << 2",
    "c ** 3 - a ** 2",
    "-a ** 2",
    "min(a, b, c) + max(c, 1)",
    "abs(c) * 2",
    "a < b < 5",
    "a < b == True",
    "1 < a != b",
    "a in [b, 2] or c not in (0, -1)",
    "not a and b > 1",
    "(a > 1) + (b > 1)",
    "c if a > b else b",
    "a * (b == 3)",
    "a - b - c",
    "a - (b - c)",
    "7 % (b * 2) + 7 // b",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_translation_has_pythons_value_for_all_variables(formula, sqlite):
    template = translated(formula)
    for point in POINTS:
        assert sqlite(template, point) == pytest.approx(eval(formula, NAMESPACE, point), abs=1e-12), (template, point)


class Formulas:
    """Draws formulas over names, whose quotients are exact as floats."""

    def __init__(self, seed, names):
        self._draw = random.Random(seed)
        self._names = names

    def formula(self, levels):
        draw = self._draw
        if levels == 0 or draw.random() < 0.15:
            return draw.choice(self._names) if draw.random() < 0.6 else str(draw.choice([0, 1, 2, 3, 5, 16]))
        x, y, z = (f"({self.formula(levels - 1)})" for _ in range(3))
        quotient = f"{x} / {draw.choice(['1', '2', '4', self._names[1]])}"
        forms = [f"{x} {symbol} {y}" for symbol in "+ - * // % < <= > >= == != and or".split()]
        forms += [f"not {x}", f"-{x}", f"abs{x}", f"{x} if {y} else {z}", f"{x} < {y} <= {z}", f"{x} in [{y}, {z}]"]
        forms += [f"min({x}, {y})", f"max({x}, {y}, {z})", f"{x} ** 2", f"{x} << 2", f"{x} >> 1", quotient]
        forms += [f"{function}({quotient})" for function in ("int", "math.ceil", "math.floor")]
        return draw.choice(forms)


def outcome(function, *arguments):
    """The value, or None where there is none."""
    try:
        return function(*arguments)
    except (ArithmeticError, Refusal, TypeError):
        return None


def test_random_formulas_have_pythons_value(sqlite):
    formulas = Formulas(0, ["a", "b", "c"])
    compared = 0
    for levels in [1, 2, 3] * 200:
        text = formulas.formula(levels)
        expression = Expression(text)
        piece = outcome(Translator(expression, VARIABLES, CONSTANTS).visit, expression.root)
        for point in random.Random(text).sample(POINTS, 4):
            wanted = outcome(eval, text, NAMESPACE, point)
            assert outcome(evaluate, text, point) == wanted or abs(wanted) >> 63, (text, point)
            if piece is None or wanted is None or abs(wanted) > 2**53:
                continue
            value = sqlite(piece.text, point)
            assert bool(value) == bool(wanted), (text, piece.text, point)
            if piece.kind is not Kind.LOOSE:
                assert value == pytest.approx(wanted, abs=1e-9), (text, piece.text, point)
            compared += 1
    assert compared > 1000


def test_a_division_by_zero_is_not_true(sqlite):
    assert sqlite(translated("a % c == 0"), {"a": 4, "b": 1, "c": 0}) is None


@pytest.mark.parametrize(
    "python, reason",
    [
        ("a < unknown", 'position 5: "unknown" is not known here; known names are ProblemSize, a, b, c, mode'),
        ("a & b == 1", "position 3: bit operations are not supported"),
        ("~a", "bit operations"),
        ("a ^ b", "bit operations"),
        ("2 ** a", "a power must have an exponent from 0 to 16"),
        ("a ** 17", "from 0 to 16"),
        ("a << b", "a shift must be by a number"),
        ("a % 1.5", "not reals"),
        ("(a or b) == 4", "compare them first"),
        ("(a or b if c else 1) == 4", "compare them first"),
        ("('row' if c else 1) + 1", "expected a number here"),
        ("mode and a", "expected a condition here, not a text"),
        ("mode + 1", "expected a number here"),
        ("mode < 3", "have no order"),
        ("mode == 'row-major'", "'row-major' is not a name"),
        ("b'x'", "is not supported"),
        ("a in b", 'expected a list after "in"'),
        ("[a, b]", "a list is not expected here"),
        ("max(a)", "max of 1 arguments"),
        ("round(a)", "round of 1 arguments is not supported"),
        ("ProblemSize[2] < a", "list index out of range"),
        ("a << 1.5", "a shift must be by 0 to 62 bits"),
        ("a < 1 / 0", "division by zero"),
        ("lambda: a", '"lambda: a" is not supported'),
        ("a is b", '"a is b" is not supported'),
        ("a == None", '"None" is not supported'),
        ("f'{a}'", "is not supported"),
        ("max(*ProblemSize)", '"*ProblemSize" is not supported'),
        ("a <", "Python says: invalid syntax"),
        ("a b", "Python says: invalid syntax"),
        ("", "Python says"),
        ("a = 1", "Python says: invalid syntax"),
        ("__import__('os').system('x')", "is not supported here"),
        ("99999999999999999999", "too large"),
        ("1e999", "too large"),
        ("'a", "second quote"),
        ("'\\x'", '"\\" in a text is not supported'),
        ("1.2.3", "Python says: invalid syntax"),
        ("a @ b", '"a @ b" is not supported'),
        ("{a}", '"{a}" is not supported'),
        ("min(a, key=b)", '"key=b" is not supported'),
        ("(a := 1)", "is not supported"),
        ("a\0", "Python says:"),
        ("é", '"é" is not known here'),
        pytest.param("(" * 10_000 + "a", "nested more than 100 levels deep", id="parentheses"),
        pytest.param("9" * 1_000_000, "too large", id="digits"),
        pytest.param("9" * 1_000_000 + "x", "too large", id="digits and a letter"),
        pytest.param("-" * 10_000, "nested more than 100 levels deep", id="signs"),
        pytest.param("a" + " + a" * 1000, "nested more than 100 levels deep", id="sum"),
        pytest.param("c % (" * 30 + "c" + ")" * 30, "too long", id="repeated operands"),
        pytest.param("a" * 2_000_000, "characters", id="characters"),
    ],
)
def test_no_translation_has_a_reason(python, reason):
    message = refusal(translated, python)
    assert reason in message
    assert len(message) < 1000


def test_an_evaluation_does_not_run_texts():
    expression = Expression("len('x')")
    assert Evaluator(expression, {"len": print}).visit(expression.root) == 1
