#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that end at random moments of a tuning.

    exits.py PROGRAMS PLACE COUNT SEED [--jobs N] [--late SECONDS] [--jitune COMMAND] [--python] [--package FOLDER]

Runs PROGRAMS/leaves, and with --python a script of Python, COUNT times, N at a time,
under each policy, in each way to end, with and without the command on the path. Prints how each kind of exit went.
Ends with 1 where one crashed, hung, or left a process or a temporary file.
"""

import argparse
import concurrent.futures
import random
import re
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from runner import Home, package_settings

POLICIES = {"now": {"JITUNE_TUNE": "now", "JITUNE_BUDGET": "0.5"},
            "background busy": {"JITUNE_TUNE": "background", "JITUNE_TUNE_BUSY": "1", "JITUNE_BUDGET": "0.5"},
            "background": {"JITUNE_TUNE": "background"}}
WAYS = ["return", "exit", "quick", "throw", "thread", "static"]
LONGEST_MS = 3000  # of a program, before it leaves
HANG = 60  # seconds
SCRIPT = """
import sys, threading, time
import jitune
n = 196613
if sys.argv[1] == "cuda":
    import torch
    values = torch.ones(n, device="cuda")
else:
    import numpy
    values = numpy.ones(n, "float32")
def call():
    if float(jitune.sum(values)) != n:
        raise SystemExit(9)
end = time.monotonic() + float(sys.argv[2])
if sys.argv[3] == "threads":
    threading.Thread(target=call, daemon=True).start()
else:
    call()
time.sleep(max(0, end - time.monotonic()))
print("leaving %.9f" % time.clock_gettime(time.CLOCK_MONOTONIC), flush=True)
"""


def expected(way):
    return -signal.SIGABRT if way == "throw" else 0


def one(arguments, number):
    """One exit: its kind, and what was wrong with it. Policies and ways take turns, the rest is the seed's."""
    draw = random.Random(f"{arguments.seed} {number}")
    ways = [*WAYS, "python"] if arguments.python else WAYS
    policy = list(POLICIES)[number % len(POLICIES)]
    way = ways[number // len(POLICIES) % len(ways)]
    caller = draw.choice(["main", "main", "threads"])
    ms = int(LONGEST_MS ** draw.uniform(0.3, 1))
    with Home(arguments.jitune if draw.random() < 0.7 else None, JITUNE_DB="none", **POLICIES[policy]) as home:
        if way == "python":
            words = [sys.executable, "-c", SCRIPT, arguments.place, str(ms / 1e3), caller]
        else:
            words = [arguments.programs / "leaves", arguments.place, way, caller, str(ms)]
        done = home.run(words, timeout=HANG, **package_settings(arguments.package))
        ended = time.clock_gettime(time.CLOCK_MONOTONIC) if not done.left else None
        wrong = []
        if done.code != expected(way):
            wrong.append(f"exit code {done.code}: {done.err.strip()[-200:]}")
        elif arguments.place == "host" and "leaves: " in done.err:
            wrong.append(done.err.strip()[-200:])
        left = done.left
        if way == "throw":
            # abort() runs no handlers: compilers end by themselves, and the next process that uses jitune removes
            # the folders.
            home.await_end(HANG)
            left = [what for what in home.left() if not what.startswith("$TMPDIR/jitune-")]
        wrong += [f"left {what}" for what in left]
        leaving = re.search(r"leaving ([0-9.]+)", done.out)
        late = ended - float(leaving[1]) if leaving and ended else 0
        if late > arguments.late:
            wrong.append(f"ended {late:.1f} s after it had left")
        return (policy, way, caller), ms, late, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs", type=Path)
    parser.add_argument("place", choices=["host", "cuda"])
    parser.add_argument("count", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--late", type=float, default=2, help="seconds that may lie between leaving and the end")
    parser.add_argument("--jitune")
    parser.add_argument("--python", action="store_true", help="also a script that uses the Python package")
    parser.add_argument("--package", help="the folder of that package, where it is not installed")
    arguments = parser.parse_args()
    arguments.programs = arguments.programs.resolve()
    arguments.package = arguments.package and str(Path(arguments.package).resolve())
    tried, bad, latest, texts = Counter(), Counter(), Counter(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        exits = [pool.submit(one, arguments, i) for i in range(arguments.count)]
        for result in concurrent.futures.as_completed(exits):
            kind, ms, late, wrong = result.result()
            tried[kind] += 1
            bad[kind] += bool(wrong)
            latest[kind] = max(latest[kind], late)
            texts += [f"{' '.join(kind)}, {ms} ms: {text}" for text in wrong]
    print(f"{'policy':16} {'leaves by':9} {'calls':8} {'tried':>5} {'bad':>4} {'latest end':>10}")
    for kind in sorted(tried):
        print(f"{kind[0]:16} {kind[1]:9} {kind[2]:8} {tried[kind]:5} {bad[kind]:4} {latest[kind]:8.2f} s")
    for text in texts[:20]:
        print(f"bad: {text}")
    print(f"{sum(tried.values())} exits, {sum(bad.values())} bad, latest end {max(latest.values(), default=0):.2f} s")
    return 1 if texts else 0


if __name__ == "__main__":
    sys.exit(main())
