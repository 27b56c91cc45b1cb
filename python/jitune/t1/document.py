# SPDX-License-Identifier: Apache-2.0
"""Reads T1's JSON and says which of its members are not used."""

import contextlib
import gzip
import json
import zlib

GZIP = b"\x1f\x8b"  # how such a file begins


class Refusal(Exception):
    """What is wrong with a tuning problem, where, and what to do."""


def shown(text):
    """The text, with escapes for bytes of a file's name that are not UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


@contextlib.contextmanager
def within(place):
    """Refusals begin with the place."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(f"{place}: {refusal}") from None


def given(json_object, key, otherwise=None):
    """The member; `otherwise` where it is missing or null, and where `json_object` is no object."""
    value = json_object.get(key) if isinstance(json_object, dict) else None
    return otherwise if value is None else value


def member(json_object, key, kind=object, what=""):
    """The member, of a kind that messages call `what`."""
    value = given(json_object, key)
    if value is None:
        raise Refusal(f'"{key}" is missing')
    if not isinstance(value, kind):
        raise Refusal(f'"{key}" must be {what}')
    return value


def text_member(json_object, key, otherwise=None):
    """`otherwise` where the member is missing, unless that is None."""
    if otherwise is not None and given(json_object, key) is None:
        return otherwise
    return member(json_object, key, str, "a text")


def list_member(json_object, key):
    return member(json_object, key, list, "a list")


def given_list(json_object, key):
    """As list_member(); empty where it is missing."""
    return list_member(json_object, key) if given(json_object, key) is not None else []


def read_document(path, name):
    """The document in a file, plain or gzip, that messages call `name`. Raises Refusal for what is no JSON."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        return json.loads(gzip.decompress(content) if content.startswith(GZIP) else content)
    except (OSError, EOFError, RecursionError, ValueError, zlib.error) as error:
        raise Refusal(f"cannot read {name}: {error}") from None


# The members of each kind of object that are read, that describe the problem, or that repeat what others say.
KNOWN = {
    "": "ConfigurationSpace KernelSpecification General $schema schema_version",
    "ConfigurationSpace": "TuningParameters Conditions Constraints",
    "TuningParameters": "Name Values Default Type Description",
    "Conditions": "Expression Parameters",
    "KernelSpecification": "Language KernelName KernelFile CompilerOptions ProblemSize GridDivX GridDivY GridDivZ "
    "GlobalSizeType GlobalSize LocalSize SharedMemory Arguments BenchmarkName Description",
    "Arguments": "Name Type TypeSize Size MemoryType MemType AccessType FillType FillValue DataSource Output "
    "Description",
}
UNUSED = {
    "BenchmarkConfig": "jitune takes sizes and limits from the other members",
    "Search": "--strategy says how to search",
    "Budget": "--budget and --evaluations say how long to search",
    "KernelSpecification.Device": "--device says where to tune",
    "KernelSpecification.Profiling": "jitune reads no hardware counters",
    "KernelSpecification.SimulationInput": "replay and --from read recorded results",
    "KernelSpecification.Misc": "jitune always compiles with NVRTC",
    "Arguments.RandomSeed": "jitune's random data are the same in every run",
}
REFUSED = {
    "KernelSpecification.Stream": "jitune launches in a stream of its own: leave it out",
    "KernelSpecification.ReferenceArguments": "jitune compares with the results of the default configuration: leave "
    "it out, or write a kernel template with [reference]",
}


def unread_members(document):
    """A line for each member that is not used, with the reason. Raises Refusal for one that changes right results."""
    space = given(document, "ConfigurationSpace")
    kernel = given(document, "KernelSpecification")
    objects = [("", document), ("ConfigurationSpace", space)]
    for key, kind in (("TuningParameters",) * 2, ("Conditions",) * 2, ("Constraints", "Conditions")):
        objects += [(kind, one) for one in elements_of(space, key)]
    objects.append(("KernelSpecification", kernel))
    objects += [("Arguments", one) for one in elements_of(kernel, "Arguments")]
    paths = [
        f"{kind}.{key}".lstrip(".")
        for kind, one in objects
        for key in (one if isinstance(one, dict) else ())
        if one[key] is not None and key not in KNOWN[kind].split()
    ]
    for path in paths:
        if path in REFUSED:
            raise Refusal(f"{path} is not supported: {REFUSED[path]}")
    return [f"{path} is not used: {UNUSED.get(path, 'jitune does not know it')}" for path in dict.fromkeys(paths)]


def elements_of(json_object, key):
    """Those of a list; of another value none, which whoever reads it refuses."""
    value = given(json_object, key)
    return value if isinstance(value, list) else []
