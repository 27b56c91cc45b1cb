# SPDX-License-Identifier: Apache-2.0
"""Recorded results. That the command makes spaces of them is for its own tests."""

import copy
import json
import random

import pytest

from jitune.t1.results import answer_of

T4 = {
    "results": [
        {
            "configuration": {"block": 32.0, "mode": "a", "flag": True, "share": 2.5},
            "invalidity": "correct",
            "measurements": [{"name": "time", "value": 2.5, "unit": "us"}],
            "objectives": ["time"],
        },
        {"configuration": {"block": 64, "mode": 1, "flag": False, "share": 3}, "invalidity": "runtime"},
    ]
}
CACHE = {
    "tune_params_keys": ["block", "mode"],
    "cache": {
        "16,a": {"block": 16, "mode": "a", "time": 2.5},
        "32,a": {"block": 32, "mode": "a", "time": "RuntimeFailedConfig"},
        "64,a": {"block": 64, "mode": "a", "time": "InvalidConfig"},
    },
}
VALUES = [None, True, 0, -1, 2.5, 1e30, 10**25, "", "time", "\ud800", [], {}, [1], {"name": "time"}, "fortnights"]


@pytest.fixture
def answer(tmp_path):
    """The answer to a document, a text or bytes."""

    def of(content):
        path = tmp_path / "results.json"
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return answer_of(str(path), "results.json")

    return of


def test_values_are_integers_or_else_all_texts(answer):
    assert answer(T4) == {
        "names": ["block", "mode", "flag", "share"],
        "rows": [[32, "a", 1, "2.5", 2500.0], [64, "1", 0, "3", None]],
    }


def test_failures_are_part_of_a_cache_and_invalid_configurations_are_not(answer):
    rows = [[16, "a", 2.5e6], [32, "a", None]]
    assert answer(CACHE) == {"names": ["block", "mode"], "rows": rows}
    assert answer(json.dumps(CACHE)[:-40])["rows"] == rows, "not closed"


@pytest.mark.parametrize(
    "text, why",
    [
        ('{"a":\n  -Infinity}', ':2:3: invalid JSON from here on: "-Infinity}"'),
        ('{"a": "b', ":1:9: the JSON document is incomplete"),
        ("[1" + "0" * 5000 + "]", ": "),
        ("[" * 100_000, ": nested too deep"),
        ('{"note": "NaN \\" NaN",\n"a": NaN}', ":2:6: invalid JSON"),
    ],
)
def test_what_is_no_json_is_refused(answer, text, why):
    assert answer(text)["error"].startswith("results.json" + why)


def test_a_text_is_utf_8_and_may_begin_with_a_mark(answer):
    assert answer(b'{"a": "\xfe"}')["error"] == "results.json: byte 7 is not UTF-8"
    assert answer(b"\xef\xbb\xbf" + json.dumps(T4).encode()) == answer(T4)


def places(value):
    """Each container of a document with each of its keys."""
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from places(value[key])


@pytest.mark.parametrize("seed", range(300))
def test_damaged_results_are_read_or_refused(answer, seed):
    draw = random.Random(seed)
    document = copy.deepcopy(draw.choice([T4, CACHE]))
    for _ in range(draw.randint(1, 3)):
        container, key = draw.choice(list(places(document)) or [({}, "")])
        if draw.random() < 0.3 and container:
            del container[key]
        else:
            container[key] = draw.choice(VALUES)
    found = answer(document)
    assert json.dumps(found, allow_nan=False).encode()
    if "error" in found:
        assert found["error"].startswith("results.json: ")
    else:
        assert {len(row) for row in found["rows"]} == {len(found["names"]) + 1}
