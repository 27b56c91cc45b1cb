#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws jitune's time over CUB's by size, one line per element type, from reduce_compare's CSV files.

    plot_reduce.py results.csv [more.csv ...] [--op sum] [--out docs/reference/reduce_over_cub.svg]

Flat problems of whole powers of two, L2 cold, in a graph chain. Below 1 jitune is faster. Of a cell that is
in several files the last one counts. Needs the standard library alone.
"""

import argparse
import csv
import math
from pathlib import Path

WIDTH, HEIGHT = 880, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 120, 48, 56
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#444444",
           "#8c510a", "#1b7837", "#b2182b", "#4393c3")


def read_ratios(paths, op):
    """{type: {size: jitune's time over CUB's}}"""
    times = {}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                size = int(row["inner"])
                if (row["shape"], row["op"], row["cache"], row["way"], row["offset"]) != (
                        "flat", op, "cold", "chain", "0") or size & (size - 1):
                    continue
                times.setdefault(row["type"], {}).setdefault(size, {})[row["library"]] = float(row["us"])
    ratios = {}
    for name, sizes in times.items():
        both = {size: libraries["jitune"] / libraries["cub"] for size, libraries in sizes.items()
                if "jitune" in libraries and "cub" in libraries}
        if both:
            ratios[name] = dict(sorted(both.items()))
    return ratios


class Axes:
    """Of values that lie between `lowest` and `highest`, or beyond where `ratios` does."""

    def __init__(self, ratios, lowest=0.5, highest=1.05):
        sizes = [size for line in ratios.values() for size in line]
        values = [value for line in ratios.values() for value in line.values()]
        self.low, self.high = int(math.log2(min(sizes))), math.ceil(math.log2(max(sizes)))
        self.bottom = math.floor(min(values + [lowest]) * 10) / 10
        self.top = math.ceil(max(values + [highest]) * 10) / 10

    def x(self, size):
        span = max(self.high - self.low, 1)
        return LEFT + (math.log2(size) - self.low) / span * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        return TOP + (self.top - value) / (self.top - self.bottom) * (HEIGHT - TOP - BOTTOM)


def grid(axes):
    right = WIDTH - RIGHT
    parts = []
    for tenth in range(round(axes.bottom * 10), round(axes.top * 10) + 1):
        y = axes.y(tenth / 10)
        colour, width = ("#333333", 1.5) if tenth == 10 else ("#dddddd", 1)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{colour}" '
                     f'stroke-width="{width}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:.1f}</text>')
    for exponent in range(axes.low, axes.high + 1, 2):
        x = axes.x(1 << exponent)
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">2'
                     f'<tspan dy="-5" font-size="10">{exponent}</tspan></text>')
    return parts


def label_heights(axes, ratios):
    """Where each line's name stands: at its end, but 15 apart."""
    ends = sorted((axes.y(list(line.values())[-1]), name) for name, line in ratios.items())
    heights, last = {}, -math.inf
    for y, name in ends:
        last = max(y, last + 15)
        heights[name] = last
    overflow = max(0.0, last - (HEIGHT - BOTTOM))
    return {name: y - overflow for name, y in heights.items()}


def lines(axes, ratios, joined=True):
    heights = label_heights(axes, ratios)
    parts = []
    for colour, (name, line) in zip(COLOURS, ratios.items()):
        points = [(axes.x(size), axes.y(value)) for size, value in line.items()]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        if joined:
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        x = axes.x(1 << axes.high) + 12
        parts.append(f'<text x="{x:.1f}" y="{heights[name] + 4:.1f}" fill="{colour}" '
                     f'font-weight="bold">{name}</text>')
    return parts


def svg(ratios, title, axes, joined=True):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#222222">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="26" font-size="15">{title}</text>',
        *grid(axes),
        *lines(axes, ratios, joined),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 12}" text-anchor="middle">elements</text>',
        "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+")
    parser.add_argument("--op", default="sum")
    parser.add_argument("--out", default=str(Path(__file__).parent.parent / "docs" / "reference" / "reduce_over_cub.svg"))
    options = parser.parse_args()
    ratios = read_ratios(options.csv, options.op)
    if not ratios:
        parser.error(f"no cold chain of {options.op} with both jitune and cub in {', '.join(options.csv)}")
    title = (f"Time over CUB: {options.op} by number of elements, L2 cold, graph chain "
             "(below 1: jitune is faster)")
    Path(options.out).write_text(svg(ratios, title, Axes(ratios)), encoding="utf-8")
    print(f"{options.out}: {', '.join(ratios)}")


if __name__ == "__main__":
    main()
