#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps the host beside a busy loop on each core, and compares the winners with a quiet measurement.

    busy_sweeps.py build/bin/jitune [--runs 20] [--sizes 2^12,2^16,2^20,2^22] [--budget 2]
    busy_sweeps.py build/bin/jitune --sizes 2^10..2^14 --every-size build/bench/every_size [--looks 40]

The quiet measurement, which comes last, is two or more exhaustive sweeps of the same problems: a configuration's
time is known where two of them agree within 1.2x. A stored winner is off where its stored time differs from the
quiet time of its configuration by more than 1.5x, or where that is more than 1.5x the best quiet time. Prints how
many are off, with and without the mark "provisional", and how many cannot be judged; ends with 1 if one is off
without the mark, and with 2 if the quiet sweeps do not agree on a tenth of the winners or more. Linux only.

With --every-size, of a range of sizes: a quiet sweep with three times the budget finds rivals, and the benchmark
every_size compares what serves random sizes with all that the busy sweep has compared, then also with these rivals.
Prints how many ranges that are called sure hold a configuration 10 % slower than the best; ends with 1 if one does.
--keep=FOLDER keeps the databases there.
"""

import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile

FACTOR = 1.5
AGREE = 1.2
MOST_REFERENCES = 8
MOST_UNKNOWN = 0.1


def jitune(command, database, *words):
    out = subprocess.run([command, *words, "--db", database, "--json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(out)


def sweep(command, database, options, budget, *more):
    return jitune(command, database, "sweep", "reduce", "--device", "host", "--types", "float32", "--sizes",
                  options.sizes, "--budget", str(budget), *more)


class BusyCores:
    """A process that counts for ever on each core of this one, while the object is used."""

    def __enter__(self):
        self.loops = []
        for core in sorted(os.sched_getaffinity(0)):
            loop = os.fork()
            if loop == 0:
                os.sched_setaffinity(0, {core})
                while True:
                    pass
            self.loops.append(loop)

    def __exit__(self, *error):
        for loop in self.loops:
            os.kill(loop, signal.SIGKILL)
            os.waitpid(loop, 0)


def winners(command, database):
    return jitune(command, database, "db", "list")["winners"]


def busy_sweep(options, folder, run):
    """The path of the database of a sweep beside busy cores."""
    database = f"{folder}/busy{run}.db"
    with BusyCores():
        sweep(options.jitune, database, options, options.budget, "--seed", str(run))
    return database


def busy_winners(options, folder):
    """The winners of all runs beside busy cores, as (sizes, configuration, ns, is provisional)."""
    found = []
    for run in range(options.runs):
        database = busy_sweep(options, folder, run)
        rows = [(row["sizes"], row["configuration"], row["median_ns"], row["provisional"])
                for row in winners(options.jitune, database)]
        print(f"run {run + 1}: {len(rows)} winners, {sum(row[3] for row in rows)} provisional", file=sys.stderr)
        found += rows
    return found


def reference(options, folder, number):
    """{(sizes, configuration): ns} of all configurations, searched without a limit."""
    database = f"{folder}/quiet{number}.db"
    sweep(options.jitune, database, options, 0, "--strategy", "random", "--seed", str(number))
    times = {}
    for row in range(1, len(winners(options.jitune, database)) + 1):
        for one in jitune(options.jitune, database, "db", "show", str(row))["measurements"]:
            if one["verdict"] == "timed":
                times.setdefault((one["sizes"], one["configuration"]), []).append(statistics.median(one["samples_ns"]))
    return {place: min(medians) for place, medians in times.items()}


def agreed(references, place):
    """The least of the times, where another one is within AGREE of it; else None."""
    times = sorted(times[place] for times in references if place in times)
    return times[0] if len(times) > 1 and times[1] <= AGREE * times[0] else None


def quiet_times(options, folder, places):
    """{(sizes, configuration): ns} that sweeps agree on. Sweeps until they do for all of the places."""
    references = []
    unknown = places
    while unknown and len(references) < MOST_REFERENCES:
        references.append(reference(options, folder, len(references)))
        unknown = {place for place in places if not agreed(references, place)}
        print(f"quiet sweep {len(references)}: {len(unknown)} configurations are unknown", file=sys.stderr)
    return {place: agreed(references, place) for times in references for place in times if agreed(references, place)}


def report(found, quiet):
    best = {}
    for (sizes, _), ns in quiet.items():
        best[sizes] = min(best.get(sizes, ns), ns)
    counts = {}
    print(f"{'sizes':<14}{'winners':>8}{'marked':>8}{'off, marked':>13}{'off, unmarked':>15}{'worst unmarked':>16}")
    for sizes in best:
        rows = [row for row in found if row[0] == sizes and row[:2] in quiet]
        off = {True: 0, False: 0}
        worst = 1.0
        for _, configuration, ns, marked in rows:
            own = quiet[sizes, configuration]
            factor = max(ns / own, own / ns, own / best[sizes])
            off[marked] += factor > FACTOR
            worst = worst if marked else max(worst, factor)
        print(f"{sizes:<14}{len(rows):>8}{sum(row[3] for row in rows):>8}{off[True]:>13}{off[False]:>15}"
              f"{worst:>15.2f}x")
        for marked, count in off.items():
            counts[marked] = counts.get(marked, 0) + count
    unknown = sum(row[:2] not in quiet for row in found)
    print(f"{len(found)} winners: {counts[True]} off and marked, {counts[False]} off and unmarked, {unknown} unknown")
    if unknown >= MOST_UNKNOWN * len(found):
        print("the quiet sweeps do not agree: the machine is busy", file=sys.stderr)
        return 2
    return 1 if counts[False] else 0


def look(options, database, seed, *more):
    """What every_size says: (sizes judged, sure sizes, their worst loss, sure ranges, slow ones of these)."""
    words = [options.every_size, str(seed), str(options.looks), "0", "host", "reduce", "--types=float32", "--ops=sum",
             f"--sizes={options.sizes}", *more]
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "JITUNE_DB": database}).stdout
    sure, worst = re.search(r"^(\d+) sure sizes; loss: worst ([\d.]+)", out, re.M).groups()
    unsure = re.search(r"^(\d+) unsure sizes", out, re.M)[1]
    ranges = re.search(r"^(\d+) sure rows looked at, of which (\d+) lose", out, re.M)
    return int(sure) + int(unsure), int(sure), float(worst), *(map(int, ranges.groups()) if ranges else (0, 0))


def report_ranges(options, folder):
    databases = [busy_sweep(options, folder, run) for run in range(options.runs)]
    rivals = f"{folder}/quiet.db"
    sweep(options.jitune, rivals, options, 3 * options.budget, "--seed", str(options.runs))
    sums = [0, 0, 0]
    print("sure: sizes of those judged; ranges: those called sure, and those of them with a configuration 10 % slower "
          "than the best that their sweep compared, or that the quiet sweep did, too")
    for run, database in enumerate(databases):
        _, _, own_worst, _, own_slow = look(options, database, run)
        judged, sure, worst, ranges, slow = look(options, database, run, f"--beside={rivals}")
        print(f"run {run:>3}: sure {sure:>3} of {judged:<3} ranges {ranges:>2}  slow {own_slow:>2} ({own_worst:.2f}x), "
              f"beside the quiet sweep {slow:>2} ({worst:.2f}x)", flush=True)
        sums = [one + other for one, other in zip(sums, (ranges, own_slow, slow))]
    print(f"{options.runs} sweeps: {sums[0]} sure ranges, {sums[1]} slow, {sums[2]} beside the quiet sweep")
    return 1 if sums[2] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jitune")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sizes", default="2^12,2^16,2^20,2^22")
    parser.add_argument("--budget", type=float, default=2)
    parser.add_argument("--every-size", help="the benchmark of that name: --sizes is a range")
    parser.add_argument("--looks", type=int, default=40, help="random sizes of each sweep that every_size compares at")
    parser.add_argument("--keep", help="a folder for the databases, that is not there yet")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        if options.keep:
            os.mkdir(options.keep, 0o700)
        folder = options.keep or stack.enter_context(tempfile.TemporaryDirectory())
        if options.every_size:
            sys.exit(report_ranges(options, folder))
        found = busy_winners(options, folder)
        quiet = quiet_times(options, folder, {row[:2] for row in found})
    sys.exit(report(found, quiet))


if __name__ == "__main__":
    main()
