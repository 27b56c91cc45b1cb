# SPDX-License-Identifier: Apache-2.0
"""Tuning problems in T1. That templates of them are those which the command tunes is for its own tests."""

import copy
import functools
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys

import pytest

from jitune.t1 import template_of
from jitune.t1.__main__ import main
from jitune.t1.document import Refusal, read_document

PROBLEMS = sorted((pathlib.Path(__file__).parent / "t1_problems").iterdir())
SCALE = {
    "General": {"BenchmarkName": "scale", "OutputFormat": "JSON"},
    "ConfigurationSpace": {
        "TuningParameters": [
            {"Name": "BLOCK", "Type": "int", "Values": "list(range(32, 96+1, 32))", "Default": 64},
            {"Name": "ITEMS", "Type": "uint", "Values": "[1, 2, 4]"},
        ],
        "Conditions": [{"Parameters": ["BLOCK", "ITEMS"], "Expression": "BLOCK != 64 || ITEMS == 2"}],
    },
    "KernelSpecification": {
        "Language": "CUDA",
        "KernelName": "space::run<float>",
        "KernelFile": "kernel.cu",
        "GlobalSizeType": "OpenCL",
        "GlobalSize": {"X": "1000 // ITEMS"},
        "LocalSize": {"X": "BLOCK"},
        "CompilerOptions": ["--use_fast_math", "-O3", "-Iinclude"],
        "Arguments": [
            {"Name": "result", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 1000},
            {"Name": "values", "Type": "float2", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 1000},
            {"Name": "factor", "Type": "float", "MemoryType": "Scalar", "FillValue": 2.5},
        ],
    },
}
TEMPLATE = """\
/* jitune template
kernel = "space__run_float_"
backend = "cuda"
sizes = ["t1_problem"]
defines = ["BLOCK", "ITEMS"]
constraints = ["BLOCK <> 64 OR ITEMS = 2"]
options = ["--use_fast_math"]
include_folders = ["include"]
[parameters]
BLOCK = { values = [32, 64, 96], default = 64 }
ITEMS = { values = [1, 2, 4], default = 1 }
[arguments]
result = { access = "out", type = "float32", count = "1000" }
values = { access = "in", type = "float32", count = "2000", fill = "random", alignment = 8 }
factor = { access = "value", type = "float32", value = "2.5" }
[[launch]]
entry = "space::run<float>"
arguments = ["result", "values", "factor"]
grid = ["ceil_div(1000 / ITEMS, BLOCK)", "ceil_div(1, 1)", "ceil_div(1, 1)"]
block = ["BLOCK", "1", "1"]
shared_bytes = "0"
[reference]
default = true
*/
#define kernel_tuner 1
"""


def changed(path, value, document=SCALE):
    """The document with the member at the path, such as "KernelSpecification/Arguments/0/Size"."""
    document = copy.deepcopy(document)
    *outer, last = [int(key) if key.isdigit() else key for key in path.split("/")]
    inner = document
    for key in outer:
        inner = inner[key]
    inner[last] = value
    return document


def with_parameter(key, value):
    return changed(f"ConfigurationSpace/TuningParameters/0/{key}", value)


def with_kernel(key, value, document=SCALE):
    return changed(f"KernelSpecification/{key}", value, document)


def with_argument(number, key, value, document=SCALE):
    return changed(f"KernelSpecification/Arguments/{number}/{key}", value, document)


def filled(kind, key, value):
    return with_argument(1, key, value, with_argument(1, "FillType", kind))


def test_a_problem_becomes_a_template():
    template = template_of(SCALE, "folder")
    assert template.header == TEMPLATE
    assert template.kernel == "kernel.cu"
    assert template.notes == ["CompilerOptions -O3 is not used: NVRTC always optimizes"]


@pytest.mark.parametrize(
    "document, why",
    [
        (with_kernel("Language", "OpenCL"), "jitune takes CUDA"),
        (with_kernel("GlobalSizeType", "Metal"), 'GlobalSizeType is "Metal"'),
        (with_kernel("Stream", 3), "KernelSpecification.Stream is not supported"),
        (with_kernel("ReferenceArguments", [{"Name": "a"}]), "ReferenceArguments is not supported: jitune compares"),
        (with_kernel("ProblemSize", [1, 2, 3, 4]), "ProblemSize has 4 elements"),
        (with_kernel("ProblemSize", ["BLOCK"]), 'ProblemSize: "BLOCK" is no number'),
        (with_kernel("GridDivX", ["BLOCK"]), "ProblemSize is missing"),
        (
            with_kernel("GlobalSize", {"X": "WIDTH // BLOCK"}),
            'GlobalSize.X: expression "WIDTH // BLOCK", position 1: "WIDTH" is not known here; known names are BLOCK, '
            "ITEMS",
        ),
        (with_kernel("SharedMemory", "BLOCK ** ITEMS"), "SharedMemory: expression"),
        (with_kernel("CompilerOptions", [1]), "must be a list of texts"),
        (with_kernel("CompilerOptions", ["-DVALUE={BLOCK}"]), 'CompilerOptions "-DVALUE={BLOCK}" has braces'),
        (with_kernel("CompilerOptions", ["-DX={"]), 'CompilerOptions "-DX={" has braces'),
        (with_kernel("Arguments", {}), '"Arguments" must be a list'),
        (with_kernel("Arguments", []), "Arguments has none that is WriteOnly or ReadWrite"),
        (with_kernel("KernelName", None), '"KernelName" is missing'),
        (changed("ConfigurationSpace/Conditions", ["BLOCK & 4 == 4"]), 'Conditions: expression "BLOCK & 4 == 4"'),
        (changed("ConfigurationSpace/Conditions", ["block_size_x < 4"]), '"block_size_x" is not known here'),
        (changed("ConfigurationSpace/TuningParameters", []), "nothing to tune"),
        ({}, '"KernelSpecification" is missing'),
        ([], '"KernelSpecification" is missing'),
        # Arguments that cannot be filled or checked.
        (
            with_argument(0, "AccessType", "None"),
            "argument result: AccessType None is not supported: jitune takes ReadOnly, WriteOnly and ReadWrite",
        ),
        (with_argument(1, "Type", "float16"), 'argument values: Type "float16"'),
        (with_argument(1, "Type", "custom"), "not of structs"),
        (with_argument(2, "Type", "float2"), 'Type "float2" of a scalar'),
        (with_argument(2, "AccessType", "WriteOnly"), "a kernel cannot change it"),
        (with_argument(0, "TypeSize", 8), "TypeSize 8 is not supported: float has 4"),
        (with_argument(0, "TypeSize", "4"), '"TypeSize" must be an integer'),
        (with_argument(1, "FillType", "Script"), "FillType Script is not supported"),
        (with_argument(1, "FillType", "BinaryRaw"), '"DataSource" is missing'),
        (with_argument(1, "MemoryType", "Local"), "use SharedMemory"),
        (with_argument(1, "MemoryType", "Image"), "MemoryType Image"),
        (with_argument(0, "MemType", "Constant"), "constant memory that is not ReadOnly"),
        (with_argument(1, "MemType", "Texture"), "MemType Texture is not supported"),
        (with_argument(1, "Size", "BLOCK * 2"), "argument values: Size: expression"),
        (with_argument(1, "Size", 0), "must be a whole number above 0"),
        (with_argument(1, "Size", 1.5), "must be a whole number above 0"),
        (with_argument(1, "Size", 1 << 62), "more than 63 bits"),
        (with_argument(1, "Output", 1), "Output of an argument that is ReadOnly"),
        (with_argument(1, "Name", "a = 1 #"), "no name of letters"),
        (filled("BinaryRaw", "DataSource", "data_{BLOCK}.bin"), "argument values: DataSource"),
        (filled("BinaryRaw", "DataSource", "data}.bin"), "it has braces"),
        (filled("Constant", "FillValue", "1e308 * 10"), "argument values: FillValue must be a finite number"),
        (filled("Random", "FillValue", "-1e308 * 10"), "argument values: FillValue must be a finite number"),
        (with_argument(2, "FillValue", "1e308 * 10 - 1e308 * 10"), "argument factor: FillValue must be a finite"),
        # Values that are no integers or names.
        *((with_parameter("Values", empty), "BLOCK: Values is empty: give one value or more") for empty in (
            "range(0)", "range(5, 5)", "list(range(7, 3))", "[]", []
        )),
        (with_parameter("Values", ""), "TuningParameters BLOCK: Values cannot be read"),
        (with_parameter("Values", "range(1, 2, 0)"), "Python says: range() arg 3 must not be zero"),
        (with_parameter("Values", "[1, 'a']"), "mixes numbers and names"),
        (with_parameter("Values", "['row-major']"), "has 'row-major'"),
        (with_parameter("Values", "[1, 2.5]"), "has 2.5"),
        (with_parameter("Values", "[[1]]"), "a list within the list"),
        (with_parameter("Values", "[ITEMS]"), '"ITEMS" is not known here'),
        (with_parameter("Values", "[9223372036854775807+1]"), "more than 63 bits"),
        (with_parameter("Values", "range(0, 92233720368547758070)"), "too large"),
        (with_parameter("Default", "x"), "TuningParameters BLOCK: Default cannot be read"),
        (with_parameter("Name", "a b"), 'Name "a b" is no name'),
    ],
)  # fmt: skip
def test_refusals_name_the_member(document, why):
    with pytest.raises(Refusal) as caught:
        template_of(document, ".")
    assert why in str(caught.value)


@pytest.mark.parametrize(
    "document, lines, notes",
    [
        (with_parameter("Values", "[32, 64, 32]"), ["BLOCK = { values = [32, 64], default = 64 }"], "given twice"),
        (with_parameter("Values", "[True, False]"), ["BLOCK = { values = [1, 0], default = 1 }"], "not among its"),
        (with_argument(0, "Output", 0), [], "Output is not used: jitune checks each argument that is written"),
        (filled("Random", "FillValue", 0), ['fill = "random"'], "random data need an upper bound above 0"),
        (filled("Random", "FillValue", 0.5), ['fill = "random 0..0.5"'], ""),
        (filled("Random", "FillValue", 324.0), ['fill = "random 0..324"'], ""),
        (filled("Constant", "FillValue", 1.0), ['fill = "ones"'], ""),
        (filled("BinaryRaw", "DataSource", "data.bin"), ['fill = "raw ./data.bin"'], ""),
        (filled("BinaryRaw", "DataSource", "/data.bin"), ['fill = "raw /data.bin"'], ""),
        (with_argument(1, "MemType", "Constant"), ['constant = "values"', '["result", "values", "factor"]'], ""),
        (with_argument(1, "MemoryType", "Symbol"), ['constant = "values"', '["result", "factor"]'], ""),
        (with_kernel("KernelName", 'a"*/\n'), ['entry = "a\\"*\\u002f\\u000a"'], ""),
        (with_kernel("Unheard", 1), [], "KernelSpecification.Unheard is not used: jitune does not know it"),
        (with_kernel("Stream", None), [], ""),
        (with_kernel("GridDivX", "BLOCK", with_kernel("ProblemSize", [1000, 7])), [
            'grid = ["ceil_div(1000, BLOCK)", "7", "1"]'
        ], "GlobalSize is not used: ProblemSize"),
    ],
)  # fmt: skip
def test_members_become_lines(document, lines, notes):
    template = template_of(document, ".")
    assert all(line in template.header for line in lines), template.header
    assert notes in "\n".join(template.notes)


def test_a_member_that_is_not_used_is_noted_once():
    document = with_argument(0, "RandomSeed", 1, with_argument(1, "RandomSeed", 2))
    assert template_of(document, ".").notes == [
        "Arguments.RandomSeed is not used: jitune's random data are the same in every run",
        "CompilerOptions -O3 is not used: NVRTC always optimizes",
    ]


def test_a_range_near_the_largest_integer_ends():
    document = with_parameter("Values", "range(9223372036854775806, 9223372036854775807, 5)")
    assert "BLOCK = { values = [9223372036854775806], default" in template_of(document, ".").header


@pytest.fixture
def problem(tmp_path):
    """Writes problem.json beside a kernel."""
    (tmp_path / "kernel.cu").write_bytes(b"__global__ void run() {}  // \xe9\n")

    def write(content=json.dumps(SCALE).encode(), name="problem.json"):
        (tmp_path / name).write_bytes(content)
        return str(tmp_path / name)

    return write


def ran(*words):
    return subprocess.run([sys.executable, "-m", "jitune.t1", *words], capture_output=True)


def test_the_module_prints_the_template(problem):
    for path in (problem(), problem(gzip.compress(json.dumps(SCALE).encode()), "problem.json.gz")):
        answer = ran(path)
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout == TEMPLATE.encode() + b"__global__ void run() {}  // \xe9\n"
        assert answer.stderr.decode() == f"{path}: CompilerOptions -O3 is not used: NVRTC always optimizes\n"


def test_the_module_says_what_is_wrong(problem):
    path = problem(b"{}")
    answer = ran(path)
    assert (answer.returncode, answer.stdout) == (2, b"")
    assert answer.stderr.decode() == f'{path}: T1 tuning problem: "KernelSpecification" is missing\n'
    path = problem(json.dumps(with_kernel("KernelFile", "none.cu")).encode())
    assert "none.cu" in ran(path).stderr.decode()


@pytest.mark.parametrize(
    "content, why",
    [
        (b'{"General": }', "cannot read problem.json: Expecting value: line 1 column 13"),
        (b"", "cannot read problem.json: Expecting value: line 1 column 1"),
        (b'["\xff"]', "cannot read problem.json: 'utf-8' codec"),
        (b"[" * 100_000 + b"]" * 100_000, "cannot read problem.json: maximum recursion depth"),
        (gzip.compress(b"{}")[:-9], "cannot read problem.json: Compressed file ended"),
        (gzip.compress(b"{}")[:10] + b"\xff" * 20, "cannot read problem.json: Error -3 while decompressing"),
    ],
    ids=range(6),
)
def test_what_is_no_json_is_refused(problem, content, why):
    with pytest.raises(Refusal) as caught:
        read_document(problem(content), "problem.json")
    assert why in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(Refusal, match="cannot read none.json: .*No such file or directory"):
        read_document(str(tmp_path / "none.json"), "none.json")


@pytest.mark.parametrize(
    "document, why",
    [
        (with_parameter("Values", functools.reduce(lambda inner, _: [inner], range(400), [])), "nested"),
        (with_parameter("Values", float("inf")), '"Infinity" is not known here'),
        (with_parameter("Values", ["\ud800"]), "Python says:"),
        (with_kernel("CompilerOptions", ["\ud800"]), "a text is not UTF-8"),
    ],
)
def test_odd_values_are_refused(problem, document, why, capsys):
    assert main([problem(json.dumps(document).encode())]) == 2
    assert why in capsys.readouterr().err


def test_a_folder_that_is_not_utf8_is_refused(problem, tmp_path, capsys):
    document = json.dumps(filled("BinaryRaw", "DataSource", "data.bin")).encode()
    folder = os.fsdecode(bytes(tmp_path) + b"/\xff")
    os.mkdir(folder)
    os.rename(problem(document), folder + "/problem.json")
    assert main([folder + "/problem.json"]) == 2
    assert "udcff/problem.json: T1 tuning problem: the name of its folder or a text is not UTF-8" in capsys.readouterr().err


def test_the_command_gets_an_answer_for_a_file_of_another_name(problem, tmp_path, monkeypatch):
    monkeypatch.setattr("signal.alarm", lambda seconds: None)  # it would end the tests
    answer = tmp_path / "answer.json"
    assert main([problem(), "--name=folder/p.json", f"--answer={answer}"]) == 0
    assert json.loads(answer.read_text())["header"] == TEMPLATE
    assert main([problem(b"{}"), "--name=folder/p.json", f"--answer={answer}"]) == 0
    assert json.loads(answer.read_text()) == {
        "error": 'folder/p.json: T1 tuning problem: "KernelSpecification" is missing'
    }


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.name)
def test_kept_problems_are_read_or_refused(path):
    document = read_document(str(path), path.name)
    if path.name == "empty_list":
        with pytest.raises(Refusal):
            template_of(document, ".")
    else:
        assert template_of(document, ".").header.endswith("*/\n#define kernel_tuner 1\n")


VALUES = [
    None, True, 0, 1, -1, 2.5, 1e30, 10**25, 2**63, "", "1", "BLOCK", "block_size_x", "max(BLOCK)", "ProblemSize[0]",
    [], {}, [1, 2], ["a", "b"], {"X": "BLOCK"}, "Random", "Constant", "BinaryRaw", "Symbol", "Scalar", "Vector",
    "ReadOnly", "ReadWrite", "OpenCL", "float4", "range(0)", "1 / 3", "['x', 'y']", "a*/b", '"\\', "\n",
]  # fmt: skip


def objects_in(value):
    """All objects and lists of a document."""
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from objects_in(inner)


def test_damaged_problems_are_read_or_refused():
    draw = random.Random(0)
    documents = [json.loads(path.read_text()) for path in PROBLEMS] + [SCALE]
    outcomes = {True: 0, False: 0}
    for _ in range(500):
        document = copy.deepcopy(draw.choice(documents))
        for _ in range(draw.randrange(1, 4)):
            place = draw.choice(list(objects_in(document)))
            keys = list(place) if isinstance(place, dict) else range(len(place))
            if keys:
                place[draw.choice(keys)] = copy.deepcopy(draw.choice(VALUES))
        try:
            template_of(document, ".")
            outcomes[True] += 1
        except Refusal:
            outcomes[False] += 1
    assert min(outcomes.values()) > 50, outcomes
