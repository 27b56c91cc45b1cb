#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times `jitune report` on a made-up database of many measurements, beside `jitune db list`, which reads the winners alone.

    scripts/build release --target jitune_cli make_report_database
    bench/report_cost.py build/bin/jitune build/tests/browser/make_report_database [--measurements 100000] [--runs 11]

Prints the median of the runs, with the fastest and the slowest.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time


def times_of(command, runs):
    """Seconds of each run; one run before is not counted, which fills the system's cache of the file."""
    seconds = []
    for run in range(runs + 1):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if run > 0:
            seconds.append(time.perf_counter() - begin)
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jitune")
    parser.add_argument("make_database")
    parser.add_argument("--measurements", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o700)
        database = folder / "made.db"
        page = folder / "report.html"
        subprocess.run([options.make_database, database, str(options.measurements)], check=True)
        commands = {"report": [options.jitune, "report", "--db", database, "--out", page],
                    "db list": [options.jitune, "db", "list", "--db", database]}
        for what, command in commands.items():
            seconds = times_of(command, options.runs)
            print(f"{what}: {statistics.median(seconds):.3f} s ({min(seconds):.3f} to {max(seconds):.3f} s, "
                  f"{len(seconds)} runs)")
        print(f"database {database.stat().st_size / 2**20:.1f} MiB, page {page.stat().st_size / 2**10:.0f} KiB")


if __name__ == "__main__":
    main()
