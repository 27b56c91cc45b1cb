# SPDX-License-Identifier: Apache-2.0
"""Sessions, errors, sweeps and the database."""

import os
import subprocess
import sys
import threading

import numpy
import pytest

import jitune


def test_options_are_those_of_the_library():
    session = jitune.Session(database="none", on_miss="offline", budget=0.5, frozen=False, watch_winners=None)
    assert session.counters()["compiles"] == 0
    assert "host" in [device["id"] for device in session.devices()]
    with pytest.raises(jitune.StoreError):
        session.table_digest()


def test_the_standard_session_is_that_of_calls_without_one():
    code = """import jitune, numpy
standard = jitune.Session.standard()
print(standard.counters()["compiles"])
jitune.custom_reduce(numpy.ones(2000), name="f", state="double", identity="0.0", map="x", combine="a + b")
print(standard.counters()["compiles"], jitune.Session.standard().counters() == standard.counters())
print(jitune.sum(numpy.ones(9), session=standard))"""
    environment = {**os.environ, "JITUNE_DB": "none", "JITUNE_TUNE": "default"}
    printed = subprocess.run([sys.executable, "-c", code], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    assert printed.stdout.split() == ["0", "1", "True", "9.0"]
    with pytest.raises(TypeError, match="made once"):
        jitune.Session.standard().__init__(database="none")
    with pytest.raises(ValueError, match="has not been made"):
        jitune.Session.__new__(jitune.Session).counters()


@pytest.mark.parametrize("call", [lambda: jitune.Session(database="a\0b"), lambda: jitune.Session(**{"budget\0": 1}),
                                  lambda: jitune.command(["db", "path\0"]), lambda: jitune.sum(b"1", dtype="int64\0"),
                                  lambda: jitune.TunedKernel("a.cu", element="float32\0")])
def test_texts_that_a_nul_would_cut_are_refused(call):
    with pytest.raises(ValueError, match="null"):
        call()


@pytest.mark.parametrize("options, words", [({"budgt": 1}, "there are database, on_miss"), ({"seed": -1}, "seed"),
                                            ({"device": "tpu"}, "tpu"), ({"frozen": 2}, "frozen")])
def test_wrong_options_are_value_errors(options, words):
    with pytest.raises(ValueError, match=words) as caught:
        jitune.Session(**options)
    assert isinstance(caught.value, jitune.Error)
    assert caught.value.native_code == (0, 0)


def test_a_session_is_made_once_and_takes_no_positions():
    session = jitune.Session(database="none")
    with pytest.raises(TypeError):
        session.__init__(database="none")
    with pytest.raises(TypeError):
        jitune.Session("a.db")


def test_sweeps_fill_the_database(tmp_path):
    session = jitune.Session(database=tmp_path / "tuning.db")
    lines = []
    document = jitune.sweep("reduce", lines.append, session=session, device="host", sizes="2^14,2^16", types=["float32"],
                            budget=0.7)
    assert document["begun"] == 2
    assert lines
    winners = jitune.db.winners(session)
    assert len(winners) == 2
    assert {row["sizes"] for row in winners} == {"n=16384", "n=65536"}
    assert len(session.table_digest()) == 32
    assert jitune.db.explain(2**14, session, device="host")
    assert isinstance(jitune.db.stats(session), dict)
    assert jitune.db.explain(2**14, session, device="host", op="prod")


def test_progress_may_stop_and_raise(tmp_path):
    session = jitune.Session(database=tmp_path / "tuning.db")
    long = {"session": session, "device": "host", "sizes": "2^16..2^24", "budget": 60}
    with pytest.raises(jitune.InterruptedError):
        jitune.sweep("reduce", lambda line: True, **long)

    def fail(line):
        raise KeyError(line)

    with pytest.raises(KeyError):
        jitune.sweep("reduce", fail, **long)

    class NoTruth:
        def __bool__(self):
            raise KeyError("no truth")

    with pytest.raises(KeyError):
        jitune.sweep("reduce", lambda line: NoTruth(), **long)


def test_commands_that_are_wrong(tmp_path):
    session = jitune.Session(database=tmp_path / "tuning.db")
    with pytest.raises(jitune.UsageError, match="many"):
        jitune.sweep("reduce", session=session, sizes="many")
    with pytest.raises(jitune.UsageError, match="has no database"):
        jitune.command(["db", "list"], session=jitune.Session(database="none"))
    with pytest.raises(TypeError):
        jitune.command([1], session=session)
    with pytest.raises(TypeError, match="list of words"):
        jitune.command("stats", session=session)
    with pytest.raises(TypeError):
        jitune.command(["db"] * 300, session=session)


def test_paths_of_any_bytes(tmp_path, session):
    folder = os.fsencode(tmp_path)
    with pytest.raises(jitune.UsageError, match="no_such"):
        jitune.TunedKernel(folder + b"/\xff/no_such.cu", session=session)
    for path in (os.fsdecode(folder + b"/\xff.db"), folder + b"/\xff.db"):
        assert jitune.Session(database=path).counters()["compiles"] == 0
    with pytest.raises(ValueError, match="has not been made"):
        jitune.sum(b"1", session=jitune.Session.__new__(jitune.Session))


def test_threads_call_at_the_same_time(session):
    x = numpy.arange(100_000, dtype="float64")
    wrong = []

    def call():
        for _ in range(200):
            if jitune.sum(x, session=session) != 4999950000:
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
