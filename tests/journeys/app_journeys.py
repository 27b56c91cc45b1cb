# SPDX-License-Identifier: Apache-2.0
"""Journeys of programs that go on for a while, and the ones that measure a GPU."""

import re
import subprocess
import sys
from pathlib import Path

from call_journeys import SLOW
from journey import Skipped

MINUTE = 60  # seconds
DISTURBED = 1.05  # an app's own time beside tunings, in parts of its time without


def long_app(trip):
    """an app that goes on is tuned for behind its calls within a minute; its next start takes the winners"""
    problems, seconds, pause = (12, MINUTE, 0.2) if trip.full else (2, 2 * MINUTE, 0.05)
    words = [trip.program("service"), trip.place, problems]
    with trip.home(**({} if trip.full else {"JITUNE_BUDGET": "0.3"})) as home:
        done = home.run([*words, seconds, pause])
        trip.expect_clean(done)
        found = done.found
        trip.expect(found["all_tuned"] >= 0, f"after {seconds} s, {found['pending']} of {problems} problems wait")
        trip.expect(found["replaced"] > 0, "no winner has taken an answer's place")
        later = home.run([*words, 0, 0], JITUNE_TUNE="offline").found
        trip.expect(later["loads"] > 0 and later["compiles"] == 0, f"the next start: {later}")
        trip.show(f"first winner after {found['first_tuned']} s, all after {found['all_tuned']} s; a call took "
                  f"{found['second_us']} us, then {found['last_us']} us; the next start loaded {later['loads']}")


def formula(trip):
    """a formula answers rightly and soon, is tuned for behind its calls, and the next start reads the winner"""
    words = [trip.program("formula"), trip.place, 1 << 20]
    with trip.home(**({} if trip.full else {"JITUNE_BUDGET": "0.3"})) as home:
        done = home.run([*words, MINUTE if trip.full else 2 * MINUTE])
        trip.expect_clean(done)
        found = done.found
        trip.expect(done.err == "", f"it said {done.err.strip()[:200]}")
        trip.expect(found["wait"] < SLOW, f"the first call waited {found['wait']} s")
        trip.expect(found["tuned"] >= 0, f"after {found['calls']} calls it still waits for a tuning")
        later = home.run([*words, 0])
        trip.expect_clean(later)
        trip.expect(later.found["loads"] > 0 and later.found["compiles"] == 0, f"the next start: {later.found}")
        trip.expect(later.found["wait"] < found["wait"], f"the next start waited {later.found['wait']} s")
        trip.show(f"first call {found['wait'] * 1e3:.0f} ms, tuned after {found['tuned']} s; "
                  f"first call of the next start {later.found['wait'] * 1e3:.0f} ms")
    with trip.home(JITUNE_TUNE="now", JITUNE_BUDGET="1") as home:
        done = home.run([*words, 0])
        trip.expect_clean(done)
        trip.expect(done.found["wait"] < 1 + SLOW, f"now, 1 s: the call waited {done.found['wait']} s")
        trip.show(f"now, 1 s: waited {done.found['wait']:.2f} s")


def cold_service(trip):
    """a service that starts cold answers 50 problems at once, rightly, and compiles nothing for it on the host"""
    with trip.home() as home:
        words = [trip.program("service"), trip.place, 50]
        done = home.run([*words, MINUTE if trip.full else 0, 0.5])
        trip.expect_clean(done)
        found = done.found
        longest = 1500 if trip.full else 5000
        trip.expect(found["longest_ms"] < longest, f"{found['longest_of']} waited {found['longest_ms']} ms")
        trip.show(f"first calls: median {found['median_ms']} ms, longest {found['longest_ms']} ms ({found['longest_of']})")
        if trip.full:
            trip.show(f"after {MINUTE} s {found['pending']} wait; a call took {found['second_us']} us, then {found['last_us']} us")
    with trip.home(JITUNE_TUNE="offline") as home:
        found = home.run([*words, 0, 0]).found
        trip.expect(trip.on_gpu or found["compiles"] == 0, f"offline it compiles {found['compiles']} kernels")


def swept_shapes(trip):
    """after a sweep of shapes, calls at any of them are answered rightly, and most of them have nothing tuned"""
    most, problems, budget = (4096, 200, 2) if trip.full else (128, 10, 0.05)
    with trip.home() as home:
        home.run(["jitune", "sweep", "reduce", "--shape", "columns", "--sizes", f"64x64..{most}x{most}",
                  "--device", "cuda:0" if trip.on_gpu else "host", "--budget", budget], timeout=600)
        done = home.run([trip.program("service"), trip.place, problems, 0, 0, most])
        trip.expect_clean(done)
        trip.expect(done.err == "", f"it said {done.err.strip()[:200]}")
        waiting = done.found["pending"]
        trip.expect(not trip.full or waiting <= problems // 5, f"{waiting} of {problems} shapes wait for a tuning")
        trip.show(f"{waiting} of {problems} shapes wait for a tuning; first calls: median {done.found['median_ms']} ms")


def python_loop(trip):
    """a loop of PyTorch's (host: NumPy's) reductions by jitune: equal results, from the first minute on as fast"""
    if trip.on_gpu:
        trip.needs("torch")
    words, settings = trip.python("dropin.py", trip.arguments.seed)
    part = ["--cases", 12, "--calls", 3, "--largest", 18]
    kind = [] if trip.on_gpu else ["--numpy"]
    with trip.home() as home:
        done = home.run([*words, MINUTE + 10 if trip.full else 0, *kind, *([] if trip.full else part)], **settings)
        trip.expect_clean(done)
        found = done.found
        trip.show(f"by jitune {found['first']:.2f} times as fast at first, {found['last']:.2f} then, least {found['last_least']:.2f}")
        if not (trip.full and trip.on_gpu):
            return
        print(done.out)
        trip.expect(found["last"] >= 1.2 and found["last_least"] >= 0.95, "the goal is 1.2, least 0.95")
        home.run(["jitune", "sweep", "worklist", "--within", "2m"])
        swept = home.run([*words, 0], **settings)
        print(swept.out)
        trip.expect(swept.found["last"] >= 1.5, f"after sweep worklist {swept.found['last']:.2f}; the goal is 1.5")
        trip.show(f"after sweep worklist {swept.found['last']:.2f}, least {swept.found['last_least']:.2f}")


def script(name, *words):
    """Runs a script of this folder and prints what it prints; its exit code and its last lines."""
    process = subprocess.Popen([sys.executable, "-B", Path(__file__).resolve().parent / name, *map(str, words)],
                               stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        print(f"    {line}", end="", flush=True)
        lines.append(line.strip())
    return process.wait(), lines


def exits(trip):
    """a program may end at any moment of a tuning, in any way: no crash, no hang, no process and no file left"""
    count, jobs, late = (500, 8, 2) if trip.full else (24, 4, 20)  # tests run beside others
    package = ["--python"] if trip.has("jitune, torch" if trip.on_gpu else "jitune, numpy", trip.arguments.package) else []
    if package and trip.arguments.package:
        package += ["--package", trip.arguments.package]
    code, lines = script("exits.py", trip.program("leaves").parent, trip.place, count, trip.arguments.seed, "--jobs", jobs,
                         "--late", late, "--jitune", trip.arguments.jitune, *package)
    trip.expect(code == 0, next((line for line in lines if line.startswith("bad: ")), f"exits.py ended with {code}"))
    trip.show(lines[-1] if lines else "nothing")


def busy(trip):
    """an app whose GPU is never idle: tunings do not slow it, and within a minute it is tuned or told that it is not"""
    if not trip.on_gpu:
        raise Skipped("it needs a GPU")
    app = trip.program("busy")
    seconds = MINUTE + 15 if trip.full else 10  # the warning comes after a minute
    with trip.home(JITUNE_TUNE="offline") as home:
        alone = home.run([app, 10, 12])
        trip.expect_clean(alone)
    trip.show(f"alone {alone.found['own_first'][0]} us")
    for policy, limit in (("background", seconds), ("now", seconds / 2)):
        with trip.home(JITUNE_TUNE=policy) as home:
            done = home.run([app, limit, 12])
            trip.expect_clean(done)
            print(f"    {policy}: {done.out}", end="")
            found = done.found
            own = found["own_first"] or found["own_last"]  # under `now` the first calls wait
            trip.expect(own[0] <= DISTURBED * alone.found["own_first"][0], f"{policy}: the app's own kernel takes {own[0]} us")
            trip.expect(found["tuned_at"] >= 0 or re.search("idle|busy", done.err),
                        f"{policy}: {found['pending']} problems wait after {limit} s, and nothing says why")
            trip.show(f"{policy}: {own[0]} us (99 %: {own[1]}), tuned after {found['tuned_at']} s")


def bursts(trip):
    """an app that rests now and then: tunings behind it use its pauses, and leave its bursts alone"""
    if not trip.on_gpu:
        raise Skipped("it needs a GPU")
    seconds, pause = (60, 1.3) if trip.full else (10, 1.3)  # a tuning begins after a second of rest
    rounds = {}
    for policy in ("offline", "background"):
        with trip.home(JITUNE_TUNE=policy) as home:
            done = home.run([trip.program("busy"), seconds if policy == "background" else 8, 12, pause])
            trip.expect_clean(done)
            print(f"    {policy}: {done.out}", end="")
            rounds[policy] = done.found
    alone, found = rounds["offline"]["own_last"], rounds["background"]["own_first"]
    trip.expect(found[3] <= DISTURBED * alone[3],
                f"beside tunings its own kernel takes {found} us (median, 99 %, longest, mean), alone {alone}")
    trip.expect(not trip.full or rounds["background"]["replaced"] > 0, f"no winner came within {seconds} s")
    trip.show(f"alone {alone[3]} us (99 %: {alone[1]}), beside tunings {found[3]} us (99 %: {found[1]}); "
              f"{rounds['background']['tunings']} tunings, all after {rounds['background']['tuned_at']} s")


def first_use(trip):
    """a first call under `now` gets nearly the best within its budget, never slower than the default or CUB"""
    if not trip.on_gpu:
        raise Skipped("it needs a GPU")
    part = ["--seconds", 100, "--budgets", "2", "--reference", 6]
    beside = ["--beside", trip.arguments.beside / "first_use"] if trip.arguments.beside else []
    code, lines = script("first_use.py", trip.program("first_use"), trip.arguments.seed, *part, *beside)
    for line in lines:
        if line.startswith(("missed: ", "failed: ")):
            trip.wrong.append(line)
        if line.startswith(("budget", "within")):
            trip.show(line)
    trip.expect(code in (0, 1), f"first_use.py ended with {code}")


JOURNEYS = [long_app, formula, cold_service, swept_shapes, python_loop, exits, busy, bursts, first_use]
