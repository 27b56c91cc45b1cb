# SPDX-License-Identifier: Apache-2.0
"""Reads results that were recorded: in T4, the community's format for results, or in a cache of Kernel Tuner."""

import json
import re

from .document import Refusal, given, list_member, shown, within

MOST_VALUES = 1 << 24  # a byte of text may make a hundred in memory
EXCERPT = 24
NEWLINE = "\n"
FAILURE = 1e20  # Kernel Tuner's mark, in place of a time
NS_PER_MS = 1e6
NS_PER_UNIT = {
    **dict.fromkeys(("s", "seconds"), 1e9),
    **dict.fromkeys(("", "ms", "milliseconds", "millisecond"), NS_PER_MS),
    "miliseconds": NS_PER_MS,  # in files of the FAIR collection
    **dict.fromkeys(("us", "microseconds", "microsecond"), 1e3),
    **dict.fromkeys(("ns", "nanoseconds", "nanosecond"), 1.0),
}


class Recorded:
    """Results by the values of their parameters: of equal configurations the last one counts."""

    def __init__(self, names):
        self.names = names
        self.times = {}

    def add(self, configuration, place, time_ns):
        """`place` names the result in messages; `time_ns` is None for a failure."""
        for name in self.names:
            if name not in configuration:
                raise Refusal(f"{place} has no value for parameter {name}")
        self.times[tuple(value_of(configuration[name], place) for name in self.names)] = time_ns

    def rows(self):
        """The values of each result, then its time. Integers stay integers; if a parameter has other values, all of
        its values become texts."""
        if not self.times:
            raise Refusal("there is no result of a legal configuration")
        columns = [
            values if all(isinstance(value, int) for value in values) else map(str, values)
            for values in zip(*self.times)
        ]
        return [list(row) for row in zip(*columns, self.times.values())]


def value_of(value, place):
    """An integer or a text."""
    if isinstance(value, (dict, list)):
        raise Refusal(
            f"{place}: the value of a parameter is a list or an object: use a number, a text or a truth value"
        )
    if is_number(value) and value == int(value) and abs(value) < 1e15:
        return int(value)
    if isinstance(value, bool):
        return int(value)
    return shown(value) if isinstance(value, str) else json.dumps(value)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def time_ns_of(value, ns_per_unit):
    return value * ns_per_unit if is_number(value) and 0 < value < FAILURE else None


def t4_time_ns(result):
    """Of the measurement "time", else of the first objective."""
    if given(result, "invalidity") not in (None, "", "correct"):
        return None
    measurements, objectives = given(result, "measurements"), given(result, "objectives")
    names = ["time"] + [one for one in elements(objectives)[:1] if isinstance(one, str)]
    for name in names:
        for measurement in elements(measurements):
            if given(measurement, "name") == name:
                unit = given(measurement, "unit", "")
                unit = unit if isinstance(unit, str) else ""
                if time_ns_of(given(measurement, "value"), 1) is None:
                    return None
                if unit not in NS_PER_UNIT:
                    raise Refusal(f'T4: unknown unit of time "{unit}": use s, ms, us or ns')
                return time_ns_of(given(measurement, "value"), NS_PER_UNIT[unit])
    return None


def elements(value):
    return value if isinstance(value, list) else []


def read_t4(document):
    results = given(document, "results")
    if not isinstance(results, list) or not results:
        raise Refusal('T4: the document must be an object with a list "results"')
    recorded = None
    for number, result in enumerate(results):
        place = f"T4: result {number}"
        configuration = given(result, "configuration")
        if not isinstance(configuration, dict):
            raise Refusal(f"{place} has no configuration")
        recorded = recorded or Recorded(list(configuration))
        if len(configuration) > len(recorded.names):
            raise Refusal(f"{place} has more parameters than the first")
        if given(result, "invalidity") != "constraints":
            recorded.add(configuration, place, t4_time_ns(result))
    return recorded


def read_cache(document):
    """Times are in milliseconds. "InvalidConfig" is not part of the space, another text is a failure."""
    names = list_member(document, "tune_params_keys")
    if not all(isinstance(name, str) for name in names):
        raise Refusal('Kernel Tuner\'s cache: "tune_params_keys" must be a list of texts')
    recorded = Recorded(names)
    table = given(document, "cache")
    for number, entry in enumerate(table.values() if isinstance(table, dict) else [table]):
        place = f"Kernel Tuner's cache: result {number}"
        if not isinstance(entry, dict):
            raise Refusal('"cache" must be an object of objects')
        if "time" not in entry:
            raise Refusal(f'{place} has no "time"')
        if entry["time"] != "InvalidConfig":
            recorded.add(entry, place, time_ns_of(entry["time"], NS_PER_MS))
    return recorded


class NoNumber(Exception):
    """A word such as NaN, which JSON has not."""


def refuse_constant(word):
    raise NoNumber(word)


def finite(text):
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise Refusal("a number is too large")
    return number


def complaint(text, at):
    """The end of "results.json:3:14: invalid JSON from here on: …"."""
    rest = "".join(letter if letter.isprintable() else " " for letter in text[at : at + EXCERPT]).strip()
    what = f'invalid JSON from here on: "{rest}"' if rest else "the JSON document is incomplete"
    return f':{text.count(NEWLINE, 0, at) + 1}:{at - text.rfind(NEWLINE, 0, at)}: {what}'


def read_json(text, name):
    """The document in the text of a file, which messages call `name`."""
    if text.count(",") > MOST_VALUES:
        raise Refusal(f"{name}: more than {MOST_VALUES} values")
    try:
        with within(name):
            return json.loads(text, parse_float=finite, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        at = len(text) if error.msg.startswith("Unterminated") else error.pos
        raise Refusal(name + complaint(text, at)) from None
    except NoNumber as error:
        code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: " " * len(found[0]), text)  # without strings
        raise Refusal(name + complaint(text, code.find(str(error)))) from None
    except RecursionError:
        raise Refusal(f"{name}: nested too deep") from None
    except ValueError:  # an integer of thousands of digits
        raise Refusal(f"{name}: a number is too large") from None


def read_document(text, name):
    """As read_json(); of a cache that Kernel Tuner has not closed, all up to the last whole result."""
    try:
        return read_json(text, name)
    except Refusal:
        end = text.rfind("}")
        if end < 0 or '"tune_params_keys"' not in text or '"cache"' not in text:
            raise
        try:
            return read_json(text[: end + 1] + "}\n}", name)
        except Refusal:
            pass
        raise


def answer_of(path, name):
    """The names of the parameters and the rows of a file, or an error; for the command."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            document = read_document(file.read(), name)
        is_cache = given(document, "tune_params_keys") is not None and given(document, "cache") is not None
        with within(name):
            recorded = read_cache(document) if is_cache else read_t4(document)
            return {"names": list(map(shown, recorded.names)), "rows": recorded.rows()}
    except UnicodeDecodeError as error:
        return {"error": shown(f"{name}: byte {error.start} is not UTF-8")}
    except MemoryError:
        return {"error": shown(f"{name}: there is not enough memory to read it: it takes several times its size")}
    except Refusal as refusal:
        return {"error": shown(str(refusal))}
