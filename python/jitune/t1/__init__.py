# SPDX-License-Identifier: Apache-2.0
"""Kernel templates from tuning problems in T1, the autotuning community's JSON format.

    python3 -m jitune.t1 problem.json > problem.cu

prints the template: front matter, then the kernel's code. KTT and Kernel Tuner read the format
(https://github.com/odgaard/TuningSchema). Parameters become macros, the problem has one size of 1, since T1 problems
have fixed sizes, and the default configuration computes the reference results. As Kernel Tuner does, the template
defines the macro kernel_tuner. A line on standard error names each member that is not used.

jitune's command holds this package, in which the module `results` reads what other tuners have measured. The command
runs it with the system's Python 3.9 or later: so it uses the standard library alone. No text of a problem is ever run.
"""

import re
from typing import NamedTuple

from .arguments import arguments_of
from .document import Refusal, given, given_list, list_member, member, text_member, unread_members
from .evaluation import evaluate
from .expressions import NAME
from .scope import Parameter, Scope, python_text
from .toml import toml_list, toml_text

PLATFORM = "cuda"
SIZE = "t1_problem"  # the one size of these templates


class Template(NamedTuple):
    """`header` is all that stands before the kernel's code, whose file `kernel` is named as in the problem."""

    header: str
    kernel: str
    notes: list  # a line for each member that is not used, with the reason


class ParameterReader:
    """Reads one of TuningParameters: values are Python's lists of integers, truth values (1 and 0) or names."""

    def __init__(self, json_object, notes):
        self._json = json_object
        self._notes = notes
        self._name = text_member(json_object, "Name")
        if not NAME.fullmatch(self._name):
            raise Refusal(f'TuningParameters: Name "{self._name}" is no name of letters, digits and _')

    def read(self):
        values = {}  # as keys, in their order
        for element in self._elements():
            value = self._value(element, "Values")
            if value in values:
                self._notes.append(f"TuningParameters {self._name}: the value {value} is given twice")
            values[value] = None
        if len(set(map(type, values))) > 1:
            self._refuse("Values", "mixes numbers and names: give one kind")
        return Parameter(self._name, list(values), self._default(list(values)))

    def _refuse(self, key, reason):
        raise Refusal(f"TuningParameters {self._name}: {key} {reason}")

    def _evaluated(self, value, key):
        try:
            return evaluate(python_text(value), {})
        except Refusal as refusal:
            self._refuse(key, f"cannot be read: {refusal}")

    def _elements(self):
        value = self._evaluated(member(self._json, "Values"), "Values")
        if value == []:
            self._refuse("Values", "is empty: give one value or more")
        return value if isinstance(value, list) else [value]

    def _value(self, value, key):
        if isinstance(value, int):
            return int(value)
        if isinstance(value, float):
            self._refuse(key, f"has {value}: jitune's parameters are integers or names, not reals")
        if isinstance(value, list):
            self._refuse(key, "has a list within the list: write integers or names")
        if not NAME.fullmatch(value):
            self._refuse(key, f"has '{value}': a name has letters, digits and _, and no digit first")
        return value

    def _default(self, values):
        wanted = given(self._json, "Default")
        if wanted is None:
            return values[0]
        if not isinstance(wanted, str) or not isinstance(values[0], str):  # a text is the name itself
            value = self._evaluated(wanted, "Default")
            wanted = self._value(value[0] if isinstance(value, list) and len(value) == 1 else value, "Default")
        if wanted in values:
            return wanted
        self._notes.append(
            f"TuningParameters {self._name}: Default {wanted} is not among its values: the default is the first, "
            f"{values[0]}"
        )
        return values[0]


def parameters_of(space, notes):
    parameters = [ParameterReader(one, notes).read() for one in list_member(space, "TuningParameters")]
    if not parameters:
        raise Refusal("TuningParameters is empty: there is nothing to tune")
    return parameters


def parameter_line(parameter):
    def written(value):
        return toml_text(value) if isinstance(value, str) else str(value)

    values = ", ".join(map(written, parameter.values))
    return f"{parameter.name} = {{ values = [{values}], default = {written(parameter.default)} }}\n"


def conditions_of(space, scope):
    return [
        scope.condition(one if isinstance(one, str) else member(one, "Expression"), key)
        for key in ("Conditions", "Constraints")
        for one in given_list(space, key)
    ]


def option_lines(kernel, notes):
    """The lines `options` and `include_folders`, without what NVRTC does anyway."""
    options, folders = [], []
    for option in given_list(kernel, "CompilerOptions"):
        if not isinstance(option, str):
            raise Refusal("CompilerOptions must be a list of texts")
        if re.fullmatch("-O.", option):
            notes.append(f"CompilerOptions {option} is not used: NVRTC always optimizes")
        elif re.match("-I.", option):
            folders.append(option[2:])
        elif "{" in option or "}" in option:  # those of a template are names
            raise Refusal(
                f'CompilerOptions "{option}" has braces, which options of jitune cannot hold: define the text in the '
                "kernel's file"
            )
        else:
            options.append(option)
    return (f"options = {toml_list(options)}\n" if options else "") + (
        f"include_folders = {toml_list(folders)}\n" if folders else ""
    )


class Launch:
    """The lines `grid`, `block` and `shared_bytes`.

    ProblemSize with GridDivX, Y and Z gives the grid as Kernel Tuner works it out: GlobalSize is not used then.
    """

    def __init__(self, kernel, scope, notes):
        self._kernel = kernel
        self._scope = scope
        self._notes = notes
        self._divisors = [self._divisor("GridDiv" + axis) for axis in "XYZ"]

    def lines(self):
        blocks = self._block()
        shared = self._formula(given(self._kernel, "SharedMemory", 0), "SharedMemory")
        return (
            f"grid = {toml_list(self._grid(blocks))}\nblock = {toml_list(blocks)}\n"
            f"shared_bytes = {toml_text(shared)}\n"
        )

    def _formula(self, value, key):
        return self._scope.launch_formula(value, key, self._notes)

    def _divisor(self, key):
        """The product of the list; empty where there is none."""
        factors = given(self._kernel, key, [])
        if not isinstance(factors, list):
            return self._formula(factors, key)
        texts = [self._formula(factor, key) for factor in factors]
        return " * ".join(f"({text})" if " " in text else text for text in texts)

    def _block(self):
        sizes = given(self._kernel, "LocalSize")
        is_named = sizes is None or any(self._divisors)  # by Kernel Tuner's names
        blocks = [self._scope.block_size(axis) if is_named else "1" for axis in range(3)]
        if sizes is None:
            blocks[0] = self._formula("block_size_x", "LocalSize")
        for axis, letter in enumerate("XYZ"):
            if given(sizes, letter) is not None:
                blocks[axis] = self._formula(sizes[letter], f"LocalSize.{letter}")
        return blocks

    def _grid(self, blocks):
        sizes = given(self._kernel, "GlobalSize")
        if not any(self._divisors) and sizes is not None:
            return self._global_grid(sizes, blocks)
        if self._scope.problem_size is None:
            raise Refusal("ProblemSize is missing: give it, or GlobalSize without GridDivX, Y and Z")
        if sizes is not None:
            self._notes.append(
                "KernelSpecification.GlobalSize is not used: ProblemSize and the lists GridDivX, Y and Z give the "
                "grid, as in Kernel Tuner"
            )
        divisors = [by or self._scope.block_size(axis) for axis, by in enumerate(self._divisors)]
        return [
            str(size) if by == "1" else f"ceil_div({size}, {by})"
            for size, by in zip(self._scope.problem_size, divisors)
        ]

    def _global_grid(self, sizes, blocks):
        kind = text_member(self._kernel, "GlobalSizeType", "CUDA")
        if kind not in ("CUDA", "OpenCL", "Vulkan"):
            raise Refusal(
                f'GlobalSizeType is "{kind}": jitune takes CUDA and Vulkan, which count blocks, and OpenCL, which '
                "counts threads"
            )
        texts = [self._formula(given(sizes, letter, 1), f"GlobalSize.{letter}") for letter in "XYZ"]
        if kind != "OpenCL":
            return texts
        return [f"ceil_div({text}, {block})" for text, block in zip(texts, blocks)]


def template_of(document, folder):
    """The template of a document, whose kernel and data lie in `folder`. Raises Refusal that names the member."""
    notes = unread_members(document)
    kernel = member(document, "KernelSpecification")
    language = text_member(kernel, "Language")
    if language != "CUDA":
        raise Refusal(f"Language {language} is not supported: jitune takes CUDA")
    space = member(document, "ConfigurationSpace")
    parameters = parameters_of(space, notes)
    scope = Scope(parameters, kernel)
    arguments = arguments_of(kernel, scope, folder, notes)
    name = text_member(kernel, "KernelName")
    key = re.sub("[^A-Za-z0-9_]", "_", name)  # "scale_float_" of "scale<float>"
    passed = [one.name for one in arguments if one.is_passed]
    header = (
        f"/* jitune template\nkernel = {toml_text(key)}\n"
        f'backend = "{PLATFORM}"\nsizes = ["{SIZE}"]\n'
        f"defines = {toml_list([one.name for one in parameters])}\n"
        f"constraints = {toml_list(conditions_of(space, scope))}\n"
        f"{option_lines(kernel, notes)}[parameters]\n{''.join(map(parameter_line, parameters))}"
        f"[arguments]\n{''.join(one.line for one in arguments)}"
        f"[[launch]]\nentry = {toml_text(name)}\narguments = {toml_list(passed)}\n"
        f"{Launch(kernel, scope, notes).lines()}"
        "[reference]\ndefault = true\n*/\n#define kernel_tuner 1\n"
    )
    return Template(header, text_member(kernel, "KernelFile"), notes)
