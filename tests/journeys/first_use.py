#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the first call of a fresh process gets on a GPU, with an empty database and the policy `now`.

    first_use.py PROGRAM SEED [--cells N] [--seconds S] [--budgets 1,2,5] [--reference SECONDS] [--beside PROGRAM]

The seed draws the cells: flat sums of four types at 20 sizes from 2^10 to 2^28, and sums of rows and of columns at 20
shapes each. PROGRAM is first_use, which measures one cell. --cells and --seconds bound how many are tried; the order is
the seed's, too. --reference is the budget whose winner answers are compared with: 30 s by default; 0 for none.
--beside names first_use of another version of jitune, which tries the same cells in turn.
Ends with 1 where a cell fails or a goal is missed.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

TYPES = ["float32", "float16", "float64", "int32"]
LOG_LEAST, LOG_MOST = 10, 28
NOISE = 0.02  # what two measurements of one configuration may differ by
GOALS = {1.0: 0.10, 2.0: 0.05}  # seconds: within which part of the reference answers are to be
SHARE = 0.95  # of cells
LATE = 0.2  # seconds beyond the budget


def cells_of(seed):
    """(form, type, outer, inner) in the order in which they are tried."""
    draw = random.Random(seed)
    found = []
    for kind in TYPES:
        for i in range(20):  # one in each part of the range
            log = LOG_LEAST + (LOG_MOST - LOG_LEAST) * (i + draw.random()) / 20
            found.append(("all", kind, 1, int(2**log)))
    for form in ("rows", "columns"):
        for i in range(20):
            log = LOG_LEAST + (LOG_MOST - LOG_LEAST) * (i + draw.random()) / 20
            outer = draw.uniform(1, log - 1)
            found.append((form, draw.choice(TYPES), int(2**outer), int(2 ** (log - outer))))
    draw.shuffle(found)
    return found


def measure(program, cell, budget, call, reference):
    form, kind, outer, inner = cell
    words = [program, form, kind, str(outer), str(inner), str(budget), call, *([str(reference)] if reference else [])]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JITUNE_") or name == "JITUNE_NVRTC"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, env={**environment, "TMPDIR": folder})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout.splitlines()[-1])


def named(cell):
    form, kind, outer, inner = cell
    return f"{kind} {inner}" if form == "all" else f"{kind} {form} {outer}x{inner}"


def ratio(over, under):
    return f"{over / under:.2f}" if over and under else "-"


HEADER = (f"{'problem':30} {'budget':6} {'call':7} {'waited':7} {'origin':8} {'us':>9} {'of best':>7} {'gain':>5} {'CUB':>5} "
          f"{'soon':>5}\n    us per launch of the answer, cold L2; the reference's, the default's and CUB's time in parts of "
          "the answer's;\n    the answer's time right after the call in parts of its time in quiet")


def print_row(name, cell, budget, call, got):
    print(f"{named(cell):30} {budget:4g} s {call:7} {got['wait']:5.2f} s {got['origin']:8} {got['answer']:9.2f} "
          f"{ratio(got['reference'], got['answer']):>7} {ratio(got['default'], got['answer']):>5} "
          f"{ratio(got['cub'], got['answer']):>5} {ratio(got['soon'], got['answer']):>5} {name}".rstrip(), flush=True)


def share(values):
    values = list(values)
    return sum(values) / len(values) if values else math.nan


def summary(name, budget, rows):
    """Prints what came of one budget, and returns the goals that were missed."""
    compared = [row for row in rows if row["reference"]]
    flat = [row for row in rows if row["cub"]]
    within = {part: share(row["answer"] <= row["reference"] * (1 + part) for row in compared) for part in (0.05, 0.10)}
    slower = [row for row in rows if row["answer"] > row["default"] * (1 + NOISE)]
    behind = [row for row in flat if row["answer"] > row["cub"] * (1 + NOISE)]
    waits = sorted(row["wait"] for row in rows)
    origins = {row["origin"]: sum(other["origin"] == row["origin"] for other in rows) for row in rows}
    disturbed = [row for row in rows if row["soon"] > 1.1 * row["answer"]]
    print(f"{name and name + ': '}budget {budget:g} s, {len(rows)} cells: waits median {statistics.median(waits):.2f} s, longest "
          f"{waits[-1]:.2f} s; answers {origins}")
    print(f"    within 5 % of the reference {within[0.05]:.0%}, within 10 % {within[0.10]:.0%}; slower than the default "
          f"{len(slower)}; slower than CUB {len(behind)} of {len(flat)}")
    print(f"    geometric means: default/answer {statistics.geometric_mean(r['default'] / r['answer'] for r in rows):.3f}"
          + (f", CUB/answer {statistics.geometric_mean(r['cub'] / r['answer'] for r in flat):.3f}" if flat else "")
          + f"; more than 10 % slower right after the call {len(disturbed)}")
    missed = []
    part = GOALS.get(budget)
    if part and compared and within[part] < SHARE:
        missed.append(f"{budget:g} s: {within[part]:.0%} of cells are within {part:.0%} of the reference, not {SHARE:.0%}")
    if slower:
        missed.append(f"{budget:g} s: {len(slower)} answers are slower than the default: {', '.join(r['cell'] for r in slower)}")
    if behind:
        missed.append(f"{budget:g} s: {len(behind)} answers are slower than CUB: {', '.join(r['cell'] for r in behind)}")
    if waits[-1] > budget + LATE:
        late = [row for row in rows if row["wait"] > budget + LATE]
        missed.append(f"{budget:g} s: {len(late)} calls waited longer than {budget + LATE:g} s")
    return missed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("seed", type=int)
    parser.add_argument("--cells", type=int, default=10**6)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--budgets", type=lambda text: [float(word) for word in text.split(",")], default=[1.0, 2.0, 5.0])
    parser.add_argument("--reference", type=float, default=30)
    parser.add_argument("--beside")
    arguments = parser.parse_args()
    programs = {"": arguments.program, **({"beside": arguments.beside} if arguments.beside else {})}
    results = {(name, budget): [] for name in programs for budget in arguments.budgets}
    failed = []
    start = time.monotonic()
    longest = 0
    print(HEADER)
    for number, cell in enumerate(cells_of(arguments.seed)[:arguments.cells]):
        begun = time.monotonic()
        if begun - start + longest > arguments.seconds:
            break
        call = ("prepare", "call")[number % 2]
        reference, found = arguments.reference or "", 0
        for budget in arguments.budgets:
            for name, program in programs.items():
                try:
                    got = measure(program, cell, budget, call, "" if name else reference)
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    failed.append(f"{name} {error}".strip())
                    continue
                got["cell"] = named(cell)
                if name:
                    got["reference"] = found
                else:
                    reference = got["reference_configuration"]
                    found = got["reference"]
                print_row(name, cell, budget, call, got)
                results[name, budget].append(got)
        longest = max(longest, time.monotonic() - begun)
    missed = []
    for (name, budget), rows in results.items():
        if rows:
            of_this = summary(name, budget, rows)
            missed += [] if name else of_this
    for text in failed:
        print(f"failed: {text}")
    for text in missed:
        print(f"missed: {text}")
    return 1 if failed or missed or not results["", arguments.budgets[0]] else 0


if __name__ == "__main__":
    sys.exit(main())
