#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums and maxima of device memory by PyTorch, CuPy and JAX, in the columns of reduce_compare's CSV.

    reduce_peers.py --csv peers.csv [--libraries torch,cupy,jax] [--types float32] [--sizes 2^10..2^30]

Chains of calls that each read other values ("cold", after a read that fills the L2) or the same ones
("warm"). PyTorch and CuPy: captured into a CUDA graph and timed with device events; where a library
refuses the capture, the same calls on a stream. JAX has no capture: its chain is one jitted function whose
calls wait for each other, and the time of a call is the difference between a long and a short chain by the
host's clock. Values are whole numbers whose sums are exact in float32, and every result is checked. A
library that is not installed is skipped.
"""

import argparse
import csv
import importlib
import math
import os
import statistics
import sys
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

COLUMNS = ("library shape type op outer inner offset cache way us noise gbps share check how").split()
ITEM_BYTES = {"int8": 1, "uint8": 1, "int16": 2, "int32": 4, "int64": 8, "float16": 2, "bfloat16": 2,
              "float32": 4, "float64": 8}
POOL_BYTES = 4 << 30
FLUSH_BYTES = 256 << 20
WARM_BYTES = 32 << 20
CHAIN_US = 240
MOST_CALLS = 48
SLEEP_CYCLES = 200_000
MOST_NOISE = 0.2  # beyond it, as the host's clock gives for JAX's short calls, a time says little


def result_type(name):
    if name in ("float16", "bfloat16", "float32"):
        return "float32"
    return {"int8": "int32", "uint8": "uint32", "int16": "int32"}.get(name, name)


def parse_sizes(text, step):
    def one(word):
        base, _, more = word.partition("+")
        value = 1 << int(base[2:]) if base.startswith("2^") else int(base)
        return value + int(more or 0)

    sizes = []
    for item in text.split(","):
        first, dots, last = item.partition("..")
        size, end = one(first), one(last if dots else first)
        while size <= end:
            sizes.append(size)
            size <<= step
    return sizes


def calls_of(n, item_bytes):
    least = 2 if n >= 1 << 29 else 4 if n >= 1 << 27 else 8
    return min(max(int(CHAIN_US / (2.5 + n * item_bytes / 4.2e6)), least), MOST_CALLS)


def starts_of(n, item_bytes, calls, warm):
    """First value of each call, as in reduce_compare."""
    stride = max(-(-n // 1024) * 1024, (1 << 18) + 2048)
    different = 1 if warm else max(1, (POOL_BYTES // item_bytes - n) // stride + 1)
    return [i % different * stride for i in range(calls)]


def timing(samples):
    """Median, and half the width of its 95 % confidence interval over the median."""
    ordered = sorted(samples)
    trimmed = int(max(0.0, len(ordered) / 2 - 0.98 * math.sqrt(len(ordered))))
    median = statistics.median(ordered)
    return median, (ordered[-1 - trimmed] - ordered[trimmed]) / 2 / median


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("torch sees no GPU")
        self.how = f"torch {self.torch.__version__}"
        self.flush = self.torch.randint(1, 100, (FLUSH_BYTES // 4,), dtype=self.torch.int32, device="cuda")

    def pool(self, name, n):
        torch = self.torch
        low = 0 if name == "uint8" else -127
        values = torch.empty(n, dtype=getattr(torch, name), device="cuda")
        for begin in range(0, n, 1 << 28):
            part = values[begin:begin + (1 << 28)]
            part.copy_(torch.randint(low, 128, part.shape, dtype=torch.int16, device="cuda"))
        return values

    def expected(self, values, op):
        torch = self.torch
        parts = [values[i:i + (1 << 28)] for i in range(0, len(values), 1 << 28)]
        if op == "sum":
            return sum(int(part.to(torch.int64).sum()) for part in parts)
        return max(int(part.max()) for part in parts)

    def samples(self, values, op, starts, n, warm, count):
        torch = self.torch
        # PyTorch has few operations on uint32: such sums are asked for as int32.
        dtype = getattr(torch, result_type(str(values.dtype)[6:]).replace("uint32", "int32"))
        slices = [values[start:start + n] for start in starts]
        results = torch.empty(len(starts), dtype=dtype if op == "sum" else values.dtype, device="cuda")

        def chain():
            for i, part in enumerate(slices):
                if op == "sum":
                    torch.sum(part, 0, dtype=dtype, out=results[i])
                else:
                    torch.amax(part, 0, out=results[i])

        times = self.times(chain, len(starts), warm, count, results)
        return times, [float(x) for x in results.tolist()], "chain"

    def times(self, chain, calls, warm, count, results):
        """The us of a call in each of `count` replays of a graph of the chain, whose last one leaves the results."""
        torch = self.torch
        chain()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            chain()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        times = []
        for _ in range(count + 1):
            if not warm:
                self.flush.max()
            torch.cuda._sleep(SLEEP_CYCLES)
            begin.record()
            graph.replay()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / calls)
        results.fill_(77)
        graph.replay()
        return times[1:]


class CuPy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.how = f"cupy {self.cupy.__version__}"
        self.flush = self.cupy.random.randint(1, 100, FLUSH_BYTES // 4, dtype="int32")
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.sleep = self.cupy.RawKernel(
            'extern "C" __global__ void busy(long long cycles) '
            "{ long long begin = clock64(); while (clock64() - begin < cycles) {} }", "busy")

    def pool(self, name, n):
        if name == "bfloat16":
            raise TypeError("CuPy has no bfloat16")
        low = 0 if name == "uint8" else -127
        values = self.cupy.empty(n, dtype=name)
        for begin in range(0, n, 1 << 28):
            part = values[begin:begin + (1 << 28)]
            part[...] = self.cupy.random.randint(low, 128, len(part), dtype="int16")
        return values

    def expected(self, values, op):
        parts = [values[i:i + (1 << 28)] for i in range(0, len(values), 1 << 28)]
        if op == "sum":
            return sum(int(part.astype("int64").sum()) for part in parts)
        return max(int(part.max()) for part in parts)

    def graph(self, chain):
        self.stream.begin_capture()
        try:
            chain()
        finally:
            graph = self.stream.end_capture()
        return graph.launch

    def samples(self, values, op, starts, n, warm, count):
        cupy = self.cupy
        dtype = result_type(str(values.dtype)) if op == "sum" else values.dtype
        slices = [values[start:start + n] for start in starts]
        results = cupy.empty(len(starts), dtype=dtype)

        def chain():
            for i, part in enumerate(slices):
                if op == "sum":
                    cupy.sum(part, dtype=dtype, out=results[i])
                else:
                    cupy.max(part, out=results[i])

        cupy.cuda.Device().synchronize()
        with self.stream:
            chain()
            self.stream.synchronize()
            try:
                launch, way = self.graph(chain), "chain"
            except (cupy.cuda.runtime.CUDARuntimeError, RuntimeError):
                launch, way = chain, "stream"
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            times = []
            for _ in range(count + 1):
                if not warm:
                    self.flush.max()
                if way == "chain":
                    self.sleep((1,), (1,), (SLEEP_CYCLES,))
                else:
                    self.stream.synchronize()
                begin.record()
                launch()
                end.record()
                end.synchronize()
                times.append(cupy.cuda.get_elapsed_time(begin, end) * 1e3 / len(starts))
            results.fill(77)
            launch()
            self.stream.synchronize()
            return times[1:], [float(x) for x in results.get()], way


class Jax:
    def __init__(self):
        self.jax = importlib.import_module("jax")
        if self.jax.default_backend() != "gpu":
            raise ImportError("jax sees no GPU")
        self.jax.config.update("jax_enable_x64", True)
        self.jnp = importlib.import_module("jax.numpy")
        self.how = f"jax {self.jax.__version__}"
        self.key = self.jax.random.key(1)
        self.flush = self.jax.random.randint(self.key, (FLUSH_BYTES // 4,), 1, 100, dtype="int32")
        self.read = self.jax.jit(self.jnp.max)

    def pool(self, name, n):
        low = 0 if name == "uint8" else -127
        parts = []
        for begin in range(0, n, 1 << 28):
            self.key, key = self.jax.random.split(self.key)
            size = min(1 << 28, n - begin)
            parts.append(self.jax.random.randint(key, (size,), low, 128, dtype="int16").astype(name))
        return parts[0] if len(parts) == 1 else self.jnp.concatenate(parts)

    def expected(self, values, op):
        parts = [values[i:i + (1 << 28)] for i in range(0, len(values), 1 << 28)]
        if op == "sum":
            return sum(int(part.astype("int64").sum()) for part in parts)
        return max(int(part.max()) for part in parts)

    def chain(self, values, op, dtype):
        jnp, barrier = self.jnp, self.jax.lax.optimization_barrier

        def run(slices):
            results = []
            for part in slices:
                if results:  # each call waits for the one before it, so that they are not fused
                    part, results[-1] = barrier((part, results[-1]))
                results.append(jnp.sum(part, dtype=dtype) if op == "sum" else jnp.max(part))
            return results

        return self.jax.jit(run)

    def samples(self, values, op, starts, n, warm, count):
        dtype = result_type(str(values.dtype))
        cuts = {start: values[start:start + n] for start in set(starts)}
        slices = [cuts[start] for start in starts]
        short = slices[:max(1, len(slices) // 4)]
        run = self.chain(values, op, dtype)
        results = run(slices)
        times = []
        for _ in range(count + 1):
            spent = []
            for part in (short, slices):
                self.jax.block_until_ready(run(part))
                if not warm:
                    self.read(self.flush).block_until_ready()
                begin = time.perf_counter()
                self.jax.block_until_ready(run(part))
                spent.append((time.perf_counter() - begin) * 1e6)
            times.append((spent[1] - spent[0]) / (len(slices) - len(short)))
        return times[1:], [float(x) for x in results], "chain"


LIBRARIES = {"torch": Torch, "cupy": CuPy, "jax": Jax}


def measure(library, name, values, op, n, warm, options):
    starts = starts_of(n, ITEM_BYTES[name], calls_of(n, ITEM_BYTES[name]), warm)
    times, results, way = library.samples(values, op, starts, n, warm, options.samples)
    expected = {start: library.expected(values[start:start + n], op) for start in set(starts)}
    right = all(result == expected[start] for result, start in zip(results, starts))
    us, noise = timing(times)
    gbps = n * ITEM_BYTES[name] / us * 1e-3
    check = "wrong" if not right else "noisy" if noise > MOST_NOISE else "ok"
    share = f"{gbps / options.ceiling:.4f}" if options.ceiling else ""
    return {"shape": "flat", "type": name, "op": op, "outer": 1, "inner": n, "offset": 0,
            "cache": "warm" if warm else "cold", "way": way, "us": f"{us:.4f}", "noise": f"{noise:.5f}",
            "gbps": f"{gbps:.1f}", "share": share, "check": check, "how": library.how}


def measure_type(title, library, name, options, writer):
    item_bytes = ITEM_BYTES[name]
    sizes = parse_sizes(options.sizes, options.step)
    values = library.pool(name, max(max(sizes), POOL_BYTES // item_bytes))
    for op in options.ops.split(","):
        for n in sizes:
            for warm in (False, True):
                if warm and n * item_bytes > WARM_BYTES:
                    continue
                row = {"library": title, **measure(library, name, values, op, n, warm, options)}
                writer.writerow(row)
                print(f"{title:<6} {name:<9} {op:<4} {n:>11} {row['cache']} {row['way']:<6} {row['us']:>12} us"
                      f" {row['gbps']:>8} GB/s {row['check']}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", default="torch,cupy,jax")
    parser.add_argument("--types", default="int32,float32,float16")
    parser.add_argument("--ops", default="sum", help="sum, max")
    parser.add_argument("--sizes", default="2^10..2^30")
    parser.add_argument("--step", type=int, default=2, help="exponents from one size of a range to the next")
    parser.add_argument("--samples", type=int, default=15)
    parser.add_argument("--ceiling", type=float, default=0, help="read ceiling in GB/s, for the column share")
    parser.add_argument("--csv", required=True)
    options = parser.parse_args()
    unknown = set(options.types.split(",")) - set(ITEM_BYTES) | set(options.libraries.split(",")) - set(LIBRARIES)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: types are {', '.join(ITEM_BYTES)}; "
                     f"libraries are {', '.join(LIBRARIES)}")
    with open(options.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for title in options.libraries.split(","):
            try:
                library = LIBRARIES[title]()
            except ImportError as error:
                print(f"{title}: skipped: {error}", file=sys.stderr)
                continue
            for name in options.types.split(","):
                try:
                    measure_type(title, library, name, options, writer)
                except (TypeError, RuntimeError, ValueError) as error:
                    print(f"{title} {name}: left out: {error}", file=sys.stderr)
                file.flush()


if __name__ == "__main__":
    main()
