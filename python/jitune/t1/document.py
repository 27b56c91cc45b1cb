# SPDX-License-Identifier: Apache-2.0
"""Reads T1's JSON and says which of its members are not used."""

import contextlib
import json
import math

MOST_BYTES = 1 << 28  # of text; a small gzip may hold any amount
# Only hostile documents exceed these.
MOST_VALUES = 1 << 24
MOST_LEVELS = 64
MOST_MEMBERS = 1024  # of an object
EXCERPT = 24


class Refusal(Exception):
    """What is wrong with a tuning problem, where, and what to do."""


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


def read_bytes(path):
    """The content of a file, plain or gzip."""
    with open(path, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if not content.startswith(b"\x1f\x8b"):
        return content
    import gzip  # not every Python has them
    import zlib

    try:
        with gzip.open(path) as file:
            return file.read(MOST_BYTES + 1)
    except (EOFError, zlib.error) as error:
        raise OSError(str(error)) from None


def read_document(path, name):
    """The document in a file that messages call `name`. Raises Refusal for what is no JSON or exceeds a limit."""
    try:
        content = read_bytes(path)
    except (OSError, ImportError, ValueError) as error:  # ValueError: a name with a character of value 0
        raise Refusal(f'cannot read "{name}": {getattr(error, "strerror", None) or error}') from None
    with within(name):
        if len(content) > MOST_BYTES:
            raise Refusal("more than 256 MiB of text")
        if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:  # each value but the root has one before it
            raise Refusal(f"more than {MOST_VALUES} values")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        refuse_json(content.decode("utf-8", "replace"), len(content[: error.start].decode()), name)
    try:
        document = json.loads(
            text, object_pairs_hook=object_of, parse_int=integer_of, parse_float=real_of, parse_constant=refuse_constant
        )
        check_values(document)
    except json.JSONDecodeError as error:
        refuse_json(text, error.pos, name)
    except RecursionError:
        raise Refusal(f"{name}: nested more than {MOST_LEVELS} levels deep") from None
    except Refusal as refusal:
        raise Refusal(f"{name}: {refusal}") from None
    return document


def refuse_json(text, at, name):
    """'file.json:3:14: invalid JSON from here on: "NaN, 1]"'."""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    rest = " ".join(text[at : at + EXCERPT].split())
    why = f'invalid JSON from here on: "{rest}"' if rest else "the JSON document is incomplete"
    raise Refusal(f"{name}:{line}:{column}: {why}")


def object_of(pairs):
    if len(pairs) > MOST_MEMBERS:
        raise Refusal(f"an object has more than {MOST_MEMBERS} members")
    return dict(pairs)


def integer_of(digits):
    """A real number where it has more than 64 bits: Python takes long for very long integers."""
    return int(digits) if len(digits) <= 20 else real_of(digits)


def real_of(digits):
    value = float(digits)
    if math.isinf(value):
        raise Refusal("a number is too large")
    return value


def refuse_constant(name):
    raise Refusal(f"invalid JSON: {name} is no number")


def check_values(document):
    rest = [(document, 1)]
    while rest:
        value, level = rest.pop()
        if isinstance(value, str):
            check_text(value)
        elif isinstance(value, (dict, list)):
            if level > MOST_LEVELS:
                raise Refusal(f"nested more than {MOST_LEVELS} levels deep")
            keys = value if isinstance(value, dict) else ()
            rest += [(key, level) for key in keys]
            rest += [(child, level + 1) for child in (value.values() if keys else value)]


def check_text(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refusal("a text has half of a character, of \\ud800 to \\udfff: write both halves") from None


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
