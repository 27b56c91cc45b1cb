#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the tables of `jitune_steps stencil --json` and `jitune_steps entropy --json`.

    plot_steps.py steps.json... --out docs/reference/stencil_steps.svg

The stencil: how many times faster than the article's kernel in shared memory with one output for each
thread the others are, by radius. The entropy: the time of each version by size, kernel (filled) and with
copies from and to host memory (outline), on a logarithmic scale. The steps of several files go into one
picture: entropies of several devices or sizes, stencils of one device. Needs the standard library alone.
"""

import argparse
import json
import math
from pathlib import Path

WIDTH, HEIGHT = 880, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 48, 56
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#444444", "#8c510a")


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>'


def svg(title, parts):
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" font-family="sans-serif" font-size="13" fill="#222222">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        text(LEFT, 26, title, "start", ' font-size="15"'),
        *parts, "</svg>", ""])


def rule(y, words, colour="#dddddd"):
    return [f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{colour}"/>',
            text(LEFT - 8, y + 4, words, "end")]


def stencil_lines(steps):
    """{"register cache, 4 outputs": {radius: times as fast as shared memory with one output}}"""
    timed = [step for step in steps if "median_ns" in step]
    base = {step["radius"]: step["median_ns"] for step in timed
            if step["step"] == "shared" and step["outputs_per_thread"] == 1}
    lines = {}
    for step in timed:
        outputs = step["outputs_per_thread"]
        name = step["step"].replace("_", " ") + (f" {outputs}" if outputs else "")
        if step["radius"] in base:
            lines.setdefault(name, {})[step["radius"]] = base[step["radius"]] / step["median_ns"]
    return lines


def plot_stencil(document):
    lines = stencil_lines(document["steps"])
    radii = sorted({radius for line in lines.values() for radius in line})
    top = math.ceil(max(value for line in lines.values() for value in line.values()))
    x = {radius: LEFT + 20 + i * (WIDTH - LEFT - RIGHT - 40) / max(len(radii) - 1, 1)
         for i, radius in enumerate(radii)}

    def y(value):
        return TOP + (top - value) / top * (HEIGHT - TOP - BOTTOM)

    parts = []
    for value in range(top + 1):
        parts += rule(y(value), f"{value}x", "#333333" if value == 1 else "#dddddd")
    parts += [text(x[radius], HEIGHT - BOTTOM + 20, radius) for radius in radii]
    last = -math.inf
    ends = sorted(lines.items(), key=lambda line: y(list(line[1].values())[-1]))
    for colour, (name, line) in zip(COLOURS * 2, ends):
        points = " ".join(f"{x[radius]:.1f},{y(value):.1f}" for radius, value in line.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        last = max(y(list(line.values())[-1]), last + 15)
        parts.append(text(WIDTH - RIGHT + 6, last + 4, name, "start", f' fill="{colour}" font-weight="bold"'))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "radius"))
    return svg(f"The mean of neighbours on {document['device_name']}: times as fast as shared memory, one output",
               parts)


def plot_entropy(document):
    timed = [step for step in document["steps"] if step["outcome"] == "timed"]
    names = list(dict.fromkeys((step["step"], step["device"]) for step in timed))
    sizes = sorted({step["size"] for step in timed})
    times = [step["whole_ns"] for step in timed]
    kernels = [step["kernel_ns"] for step in timed if "kernel_ns" in step]
    low, high = math.floor(math.log10(min(times + kernels))), math.ceil(math.log10(max(times)))
    slot = (WIDTH - LEFT - RIGHT) / max(len(names), 1)
    bar = slot * 0.85 / len(sizes)

    def y(ns):
        return TOP + (high - math.log10(ns)) / (high - low) * (HEIGHT - TOP - BOTTOM)

    units = {3: "1 us", 6: "1 ms", 9: "1 s"}
    parts = []
    for exponent in range(low, high + 1):
        parts += rule(y(10 ** exponent), units.get(exponent, ""))
    for i, (name, device) in enumerate(names):
        left = LEFT + i * slot
        parts.append(text(left + slot / 2, HEIGHT - BOTTOM + 20, name, "middle", ' font-size="11"'))
        parts.append(text(left + slot / 2, HEIGHT - BOTTOM + 34, device, "middle", ' font-size="8" fill="#777777"'))
        for step in timed:
            if (step["step"], step["device"]) != (name, device):
                continue
            place = sizes.index(step["size"])
            at = left + slot * 0.075 + place * bar
            whole = y(step["whole_ns"])
            parts.append(f'<rect x="{at:.1f}" y="{whole:.1f}" width="{bar:.1f}" '
                         f'height="{HEIGHT - BOTTOM - whole:.1f}" fill="none" stroke="{COLOURS[place]}"/>')
            if "kernel_ns" in step:
                kernel = y(step["kernel_ns"])
                parts.append(f'<rect x="{at:.1f}" y="{kernel:.1f}" width="{bar:.1f}" '
                             f'height="{HEIGHT - BOTTOM - kernel:.1f}" fill="{COLOURS[place]}"/>')
    for place, size in enumerate(sizes):
        parts.append(text(WIDTH - RIGHT + 12, TOP + 20 * (place + 1), f"{size} x {size}", "start",
                          f' fill="{COLOURS[place]}" font-weight="bold"'))
    parts.append(text(WIDTH - RIGHT + 12, TOP + 20 * (len(sizes) + 1), "filled: kernel", "start", ' font-size="11"'))
    parts.append(text(WIDTH - RIGHT + 12, TOP + 20 * (len(sizes) + 2), "outline: with copies", "start",
                      ' font-size="11"'))
    return svg("Entropies of 5 x 5 windows, 16 levels, float32", parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="+")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    plots = {"stencil": plot_stencil, "entropy": plot_entropy}
    document = {}
    for path in options.json:
        try:
            read = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            parser.error(f"cannot read {path}: {error}")
        if not isinstance(read, dict) or read.get("kernel") not in plots or not read.get("steps"):
            parser.error(f"{path} is no result of `jitune_steps stencil --json` or `jitune_steps entropy --json`")
        if document and read["kernel"] != document["kernel"]:
            parser.error(f"{path} is of another kernel than {options.json[0]}")
        if document and read.get("device_name") != document.get("device_name"):
            parser.error(f"{path} is of another device than {options.json[0]}")
        document = {**read, "steps": document.get("steps", []) + read["steps"]}
    if not any("whole_ns" in step or "median_ns" in step for step in document["steps"]):
        parser.error("no step was timed: there is nothing to draw")
    try:
        Path(options.out).write_text(plots[document["kernel"]](document), encoding="utf-8")
    except OSError as error:
        parser.error(f"cannot write {options.out}: {error}")


if __name__ == "__main__":
    main()
