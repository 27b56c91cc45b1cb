#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jitune in the place of PyTorch, or of NumPy: a loop of random reductions, by both in turn.

    dropin.py SEED SECONDS [--numpy] [--cases N] [--calls N] [--rest SECONDS]

The seed draws the reductions: sums, maxima and means of whole tensors, of rows and of columns, in three types. A round
calls each of them --calls times by each library, and rests; the wall time of a call is compared. The first round begins
with an empty table where the environment names none, so that the lines show what a program meets in its first minutes.
The last line is JSON. Ends with 1 where results differ.
"""

import argparse
import json
import random
import statistics
import sys
import time

import jitune

LARGEST_LOG = 26


def shape_of(draw, kind, largest):
    if kind == "all":
        return (int(2 ** draw.uniform(8, largest)),), None
    rows = draw.uniform(4, min(16, largest - 8))
    columns = draw.uniform(4, min(16, largest - rows))
    return (int(2**rows), int(2**columns)), 1 if kind == "rows" else 0


class Torch:
    """Tensors on the GPU."""
    types = ["float32", "bfloat16", "float16", "float32"]

    def __init__(self):
        import torch
        self.torch = torch
        self.functions = {"sum": torch.sum, "max": torch.amax, "mean": torch.mean}

    def make(self, shape, kind):
        return self.torch.randn(shape, device="cuda").to(getattr(self.torch, kind))

    def call(self, op, axis, x):
        return self.functions[op](x) if axis is None else self.functions[op](x, dim=axis)

    def wait(self):
        self.torch.cuda.synchronize()

    def error(self, op, axis, x, got):
        """The largest error in parts of what was added up."""
        wide = x.double()
        wanted = self.call(op, axis, wide)
        scale = self.call("sum" if op == "sum" else "max", axis, wide.abs()) + 1
        return ((got.double() - wanted).abs() / scale).max().item()

    def tolerance(self, x):
        return 1e-4 if x.dtype == self.torch.float32 else 2e-2


class NumPy:
    """Arrays in host memory."""
    types = ["float32", "float64", "int32", "float32"]

    def __init__(self):
        import numpy
        self.numpy = numpy
        self.functions = {"sum": numpy.sum, "max": numpy.max, "mean": numpy.mean}
        self.random = numpy.random.default_rng(1)

    def make(self, shape, kind):
        return (100 * self.random.standard_normal(shape)).astype(kind)

    def call(self, op, axis, x):
        return self.functions[op](x, axis=axis)

    def wait(self):
        pass

    def error(self, op, axis, x, got):
        wide = x.astype("float64")
        scale = self.call("sum" if op == "sum" else "max", axis, abs(wide)) + 1
        return float(self.numpy.max(abs(self.numpy.asarray(got) - self.call(op, axis, wide)) / scale))

    def tolerance(self, _):
        return 1e-4


def by_jitune(op, axis, x):
    return getattr(jitune, op)(x, axis=axis)


def round_us(library, cases, call, count):
    """Microseconds of a call, for each case."""
    times = []
    for case in cases:
        call(*case)
        library.wait()
        begin = time.perf_counter()
        for _ in range(count):
            call(*case)
        library.wait()
        times.append((time.perf_counter() - begin) / count * 1e6)
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--numpy", action="store_true")
    parser.add_argument("--cases", type=int, default=40)
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--rest", type=float, default=6)
    parser.add_argument("--largest", type=float, default=LARGEST_LOG, help="the logarithm of the most elements")
    arguments = parser.parse_args()
    library = NumPy() if arguments.numpy else Torch()
    name = "numpy" if arguments.numpy else "torch"
    draw = random.Random(arguments.seed)
    cases = []
    for _ in range(arguments.cases):
        shape, axis = shape_of(draw, draw.choice(["all", "rows", "columns", "all", "rows"]), arguments.largest)
        cases.append((draw.choice(["sum", "max", "mean", "sum"]), axis, library.make(shape, draw.choice(library.types))))

    wrong = []
    for op, axis, x in cases:
        error = library.error(op, axis, x, by_jitune(op, axis, x))
        if not error <= library.tolerance(x):
            wrong.append(f"{op} axis={axis} {tuple(x.shape)} {x.dtype}: error {error:.2g}")
    start = time.monotonic()
    rounds = []
    while True:
        theirs = round_us(library, cases, library.call, arguments.calls)
        ours = round_us(library, cases, by_jitune, arguments.calls)
        ratios = [a / b for a, b in zip(theirs, ours)]
        rounds.append((time.monotonic() - start, statistics.geometric_mean(ratios), min(ratios)))
        print(f"{rounds[-1][0]:5.0f} s: {name}/jitune geometric mean {rounds[-1][1]:.2f}, least {min(ratios):.2f}, most "
              f"{max(ratios):.2f}; all of {name} {sum(theirs):.0f} us, of jitune {sum(ours):.0f} us", flush=True)
        if time.monotonic() - start + arguments.rest > arguments.seconds:
            break
        time.sleep(arguments.rest)
    order = sorted(range(len(cases)), key=lambda i: ratios[i])
    for i in order[:8]:
        op, axis, x = cases[i]
        print(f"    least: {op} axis={axis} {tuple(x.shape)} {x.dtype}: {name} {theirs[i]:.1f} us, jitune {ours[i]:.1f} us")
    for text in wrong:
        print(f"wrong: {text}")
    print(json.dumps({"first": rounds[0][1], "first_least": rounds[0][2], "last": rounds[-1][1], "last_least": rounds[-1][2],
                      "rounds": len(rounds), "wrong": len(wrong)}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
