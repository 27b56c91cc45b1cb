#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what stored winners lose by size: their time over the best known one.

    plot_losses.py LINES [LINES ...] [--out docs/explanation/ranges.svg]

LINES is a file of lines "n=SIZE … NAME TIME (LOSS) …" or what the benchmark every_size prints, whose
losses are those of "ranges" and "default". Needs the standard library alone.
"""

import argparse
import re
from pathlib import Path

from plot_reduce import Axes, svg


def read_losses(paths):
    """{name: {size: loss}}"""
    losses = {}
    for path in paths:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            size = re.match(r"n=(\d+)\s", line)
            if size is None:
                continue
            found = re.findall(r"([a-z][-a-z]*)\s+[\d.]+ \(([\d.]+)\)", line)
            found += [({"loss": "ranges"}.get(name, name), value)
                      for name, value in re.findall(r"\b(loss|default) ([\d.]+)(?:\s|$)", line)]
            for name, loss in found:
                losses.setdefault(name, {})[int(size[1])] = float(loss)
    return {name: dict(sorted(points.items())) for name, points in losses.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", nargs="+")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these names alone, as NAME or NAME=LABEL")
    parser.add_argument("--out", default=str(Path(__file__).parent.parent / "docs" / "explanation" / "ranges.svg"))
    options = parser.parse_args()
    losses = read_losses(options.lines)
    if options.only:
        wanted = [name.partition("=") for name in options.only]
        losses = {label or name: losses[name] for name, _, label in wanted if name in losses}
    if not losses:
        parser.error(f"no losses in {', '.join(options.lines)}")
    title = "Time over the best known one, by number of elements"
    axes = Axes(losses, lowest=1, highest=1.1)
    Path(options.out).write_text(svg(losses, title, axes, joined=False), encoding="utf-8")
    print(f"{options.out}: {', '.join(losses)}")


if __name__ == "__main__":
    main()
