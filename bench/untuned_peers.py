#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch at the shapes that bench/untuned has drawn: sums of rows, columns and whole arrays.

    untuned SEED SIZES SECONDS DEVICE reduce ... > untuned.txt
    untuned_peers.py untuned.txt

Both are timed cold, as chains of calls in a CUDA graph that read other values each, and every result is checked. Prints
for each shape what torch.sum takes, and how many times as long it takes as jitune's default by its rules and as the
tuned kernel; in the end the geometric means and the worst. Run it right after untuned, on the same GPU.
"""

import argparse
import re
import statistics
import sys

import reduce_peers

HEADER = re.compile(r"(\w+) sum (?:(rows|columns) )?\d\S*( by \d+ bytes)?$")
ROW = re.compile(r"(?P<sizes>(?:\w+=\d+ )+) *(?P<us>[\d.]+) us .*rule (?P<rule>[\d.]+)  tuned (?P<tuned>[\d.]+)")


def shapes(lines):
    """The type, the dimension that is summed, the matrix and jitune's two times of each line of untuned."""
    name = dimension = None
    for line in lines:
        if row := ROW.match(line):
            if name is None:
                raise SystemExit("untuned_peers: only sums of rows, columns and whole arrays can be compared")
            sizes = [int(size) for size in re.findall(r"=(\d+)", row["sizes"])]
            best = float(row["us"])
            yield name, dimension, (1, *sizes)[-2:], best * float(row["rule"]), best * float(row["tuned"])
        elif not re.match(r" |\w+=", line):  # a title of other problems
            header = HEADER.match(line.rstrip())
            name, dimension = (header[1], 0 if header[2] == "columns" else 1) if header else (None, None)


class Sums:
    def __init__(self, samples):
        self.library = reduce_peers.Torch()
        self.samples = samples
        self.name = self.values = None

    def time(self, name, dimension, shape):
        torch = self.library.torch
        item_bytes = reduce_peers.ITEM_BYTES[name]
        n = shape[0] * shape[1]
        if self.name != name or len(self.values) < n:
            self.values = None
            self.name, self.values = name, self.library.pool(name, max(n, reduce_peers.POOL_BYTES // item_bytes))
        dtype = getattr(torch, reduce_peers.result_type(name).replace("uint32", "int32"))
        starts = reduce_peers.starts_of(n, item_bytes, reduce_peers.calls_of(n, item_bytes), False)
        matrices = [self.values[start:start + n].view(shape) for start in starts]
        results = torch.empty((len(starts), shape[1 - dimension]), dtype=dtype, device="cuda")

        def chain():
            for matrix, result in zip(matrices, results):
                torch.sum(matrix, dimension, dtype=dtype, out=result)

        times = self.library.times(chain, len(starts), False, self.samples, results)
        right = matrices[-1].sum(dimension, dtype=torch.int64 if "int" in name else torch.float64)
        if not torch.allclose(results[-1].to(torch.float64), right.to(torch.float64), rtol=1e-4, atol=1):
            raise ValueError(f"torch.sum of {name} {shape} is wrong")
        return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=argparse.FileType())
    parser.add_argument("--samples", type=int, default=11)
    options = parser.parse_args()
    drawn = list(shapes(options.file))
    if not drawn:
        sys.exit(f"untuned_peers: {options.file.name} has no line of untuned's")
    if unknown := {name for name, *_ in drawn} - reduce_peers.ITEM_BYTES.keys():
        sys.exit(f"untuned_peers: torch.sum is not timed for {', '.join(sorted(unknown))}")
    try:
        sums = Sums(options.samples)
    except ImportError as error:
        sys.exit(f"untuned_peers: PyTorch cannot be used: {error}")
    print(sums.library.how)
    rules, tuneds = [], []
    for name, dimension, shape, rule, tuned in drawn:
        us = sums.time(name, dimension, shape)
        rules.append(us / rule)
        tuneds.append(us / tuned)
        print(f"{name:<9} {'columns' if dimension == 0 else 'rows':<7} {shape[0]:>9} x {shape[1]:<9} torch {us:>10.2f} us"
              f"  / rule {us / rule:6.3f}  / tuned {us / tuned:6.3f}", flush=True)
    for title, ratios in (("rule", rules), ("tuned", tuneds)):
        if ratios:
            slower = sum(ratio < 1 for ratio in ratios)
            print(f"torch / {title}: {len(ratios)} shapes, geometric mean {statistics.geometric_mean(ratios):.3f},"
                  f" least {min(ratios):.3f}, torch is faster at {slower}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
