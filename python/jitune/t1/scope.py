# SPDX-License-Identifier: Apache-2.0
"""What the expressions of a tuning problem in T1 may name."""

import json
from typing import NamedTuple

from .document import Refusal, given, within
from .evaluation import evaluate
from .expressions import Expression, names_of
from .translation import Variable, translate

BLOCK_SIZES = {"block_size_x": 256, "block_size_y": 1, "block_size_z": 1}  # Kernel Tuner's, with their defaults
LARGEST_WHOLE = 9e15  # a float holds all integers up to this one


class Parameter(NamedTuple):
    name: str
    values: list  # integers, or names
    default: object


def python_text(value):
    """The expression of Python that a member holds: a string as it is, else the value."""
    if isinstance(value, (str, bool)):
        return str(value)
    if not isinstance(value, list):
        return json.dumps(value)
    quoted = (json.dumps(one, ensure_ascii=False) if isinstance(one, str) else python_text(one) for one in value)
    return f"[{', '.join(quoted)}]"


def variable_of(parameter):
    numbers = [value for value in parameter.values if isinstance(value, int)]
    return Variable(is_text=not numbers, can_be_negative=any(number < 0 for number in numbers))


class Scope:
    """The parameters, ProblemSize and, in launches, Kernel Tuner's names of block sizes. Refusals name the member."""

    def __init__(self, parameters, kernel):
        self._variables = {one.name: variable_of(one) for one in parameters}
        self._constants = {}
        # Where numbers are wanted, a parameter is the list of its values, or its one value.
        self._lists = {one.name: one.values[0] if len(one.values) == 1 else one.values for one in parameters}
        self.problem_size = None  # along each axis
        if given(kernel, "ProblemSize") is not None:
            self._read_problem_size(kernel["ProblemSize"])

    def _read_problem_size(self, value):
        sizes = value if isinstance(value, list) else [value]
        if not 1 <= len(sizes) <= 3:
            raise Refusal(f"ProblemSize has {len(sizes)} elements: give one to three")
        counts = [self.count(size, "ProblemSize") for size in sizes]
        self.problem_size = (counts + [1, 1])[:3]
        self._constants["ProblemSize"] = counts if isinstance(value, list) else counts[0]
        self._lists.setdefault("ProblemSize", self._constants["ProblemSize"])

    def block_size(self, axis):
        """Kernel Tuner's name of it, where that is a parameter, else 1."""
        name = list(BLOCK_SIZES)[axis]
        return name if name in self._variables else "1"

    def condition(self, value, place):
        """The condition in the language of templates."""
        with within(place):
            return translate(Expression(python_text(value)), self._variables, self._constants)

    def launch_formula(self, value, place, notes):
        """A formula of a launch in that language. Notes each block size that is no parameter."""
        with within(place):
            expression = Expression(python_text(value))
            missing = [
                name for name in BLOCK_SIZES if name in names_of(expression.root) and name not in self._variables
            ]
            for name in missing:
                note = f"{name} is no parameter: it is {BLOCK_SIZES[name]}, as in Kernel Tuner"
                if note not in notes:
                    notes.append(note)
            constants = {**self._constants, **{name: BLOCK_SIZES[name] for name in missing}}
            return translate(expression, self._variables, constants)

    def number(self, value, place):
        """Its value, without parameters in it but max(name) and min(name), and those that have one value."""
        with within(place):
            text = python_text(value)
            number = evaluate(text, self._lists)
            if isinstance(number, (list, str)):
                raise Refusal(
                    f'"{text}" is no number: a parameter of several values is a list here, of which max(…) and min(…) '
                    "are numbers"
                )
            return number

    def count(self, value, place):
        """As number(): a whole number above 0."""
        number = self.number(value, place)
        if isinstance(number, float) and number.is_integer() and number < LARGEST_WHOLE:
            number = int(number)
        if type(number) is not int or number < 1:
            raise Refusal(f'{place}: "{python_text(value)}" must be a whole number above 0')
        return number
