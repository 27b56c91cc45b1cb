#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user meets: runs programs as users write them, and prints a table of what they showed.

    journeys.py --programs FOLDER --jitune COMMAND [--package FOLDER] [--place host|cuda] [--full] [--seed N]
                [--beside FOLDER] [NAME ...]

Without names, all journeys. --full takes the time that a user would; else a part is tried, for a test. --beside names
the programs of another version, which first_use tries in turn. Ends with 1 where a journey did not show what it must,
and with 77 where all were skipped.
"""

import argparse
import shutil
import sys
import textwrap
import time
import traceback
from pathlib import Path

import app_journeys
import call_journeys
from journey import Journey, Skipped

# In the order in which they are run.
JOURNEYS = [*call_journeys.JOURNEYS, *app_journeys.JOURNEYS]


def run(journey, arguments):
    """A row of the table, and whether it is ok: None where the journey was skipped."""
    trip = Journey(arguments)
    begun = time.monotonic()
    try:
        journey(trip)
    except Skipped as reason:
        return f"skipped: {reason}", None
    except Exception as error:  # a program that behaves as none should must not stop the others
        traceback.print_exc()
        trip.wrong.append(f"{type(error).__name__}: {error}")
    shown = "; ".join(trip.shown)
    return f"{shown} ({time.monotonic() - begun:.0f} s)" + "".join(f"\nNOT: {text}" for text in trip.wrong), not trip.wrong


def print_row(name, must, shown, ok):
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    column = (width - 18 - 6) // 2
    left = textwrap.wrap(must, column)
    right = [line for part in shown.splitlines() for line in textwrap.wrap(part, column)]
    for i in range(max(len(left), len(right))):
        cells = [lines[i] if i < len(lines) else "" for lines in (left, right)]
        print(f"{name if i == 0 else '':15} {cells[0]:{column}} {cells[1]:{column}} {ok if i == 0 else ''}".rstrip(), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--jitune", type=Path, required=True)
    parser.add_argument("--package", help="the folder of the Python package")
    parser.add_argument("--place", choices=["host", "cuda"], default="host")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 100_000)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    arguments.programs, arguments.jitune = arguments.programs.resolve(), arguments.jitune.resolve()
    arguments.package = arguments.package and str(Path(arguments.package).resolve())
    known = {journey.__name__: journey for journey in JOURNEYS}
    for name in arguments.names:
        if name not in known:
            parser.error(f"there is no journey \"{name}\"; there are {', '.join(known)}")
    print(f"on {'a GPU' if arguments.place == 'cuda' else 'the host'}, seed {arguments.seed}")
    print_row("journey", "must show", "shown", "ok")
    ends = []
    for name in arguments.names or known:
        shown, ok = run(known[name], arguments)
        print_row(name, known[name].__doc__, shown, {None: "-", True: "yes", False: "NO"}[ok])
        ends.append(ok)
    if False in ends:
        return 1
    return 77 if not any(ends) else 0


if __name__ == "__main__":
    sys.exit(main())
