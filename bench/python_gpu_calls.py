#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long calls from Python take with arrays on a GPU, beside the same calls from C, PyTorch and CuPy.

    JITUNE_DB=none JITUNE_TUNE=default PYTHONPATH=build/python bench/python_gpu_calls.py build/bench/libc_calls.so

First the time of the calling thread at 1024 floats: 200 calls a block, 500 blocks of each way, the ways in turn. Each
row is a median over blocks: ns a call; ns over the same call from C in the same block, less an empty call from Python;
the quartiles of that. Then us a call until its work is done, at three sizes. Results are compared first.
"""
import ctypes
import statistics
import sys
import time

begin = time.perf_counter()
import jitune  # noqa: E402

IMPORT_MS = 1e3 * (time.perf_counter() - begin)

import torch  # noqa: E402

try:
    import cupy
except ImportError:
    cupy = None

CALLS, BLOCKS = 200, 500


def block_ns(call, calls=CALLS):
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return 1e9 * (time.perf_counter() - begin) / calls


class Way:
    """measure(calls) returns the ns of a call; result() makes one call and returns the sum that it has computed."""

    def __init__(self, measure, base=None, result=None):
        self.measure, self.base, self.result = measure, base, result


class Ways:
    """Ways to sum n floats, by name. The base of a way is the name of the one to compare it with."""

    def __init__(self, library, n):
        self.x = torch.rand(n, device="cuda")
        self.out = torch.zeros((), device="cuda")
        self.there = cupy.zeros((), "float32") if cupy else None
        x, out = self.x, self.out
        handle = jitune.prepare("sum", x)
        bound = handle.bind(x, out)

        def in_c(function):
            function.restype = ctypes.c_double
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int]

            def measure(calls=CALLS):
                ns = function(x.data_ptr(), out.data_ptr(), n, None, calls)
                assert ns >= 0, "a call from C failed"
                return ns

            return Way(measure, result=lambda: (measure(1), out.item())[1])

        def in_python(call, base):
            return Way(lambda calls=CALLS: block_ns(call, calls), base, lambda: float(call()))

        reduce, launch = "C: jitune_reduce", "C: jitune_launch"
        self.ways = {
            reduce: in_c(library.reduce_ns),
            launch: in_c(library.launch_ns),
            "nothing": Way(lambda calls=CALLS: block_ns(lambda: None, calls)),
            "torch: jitune.sum(x, out=out)": in_python(lambda: jitune.sum(x, out=out), reduce),
            "torch: jitune.sum(x)": in_python(lambda: jitune.sum(x), reduce),
            "torch: handle(x, out)": in_python(lambda: handle(x, out), launch),
            "torch: handle.launch(x, out)": in_python(lambda: handle.launch(x, out), launch),
            "torch: bound.launch()": in_python(lambda: bound.launch(), launch),
            "torch.sum(x, 0, out=out)": in_python(lambda: torch.sum(x, 0, out=out), reduce),
            "x.sum() of torch": in_python(lambda: x.sum(), reduce),
        }
        if cupy:
            y, there = cupy.asarray(x), self.there
            handle_of_cupy = jitune.prepare("sum", y)
            self.ways.update({
                "cupy: jitune.sum(x, out=out)": in_python(lambda: jitune.sum(y, out=there), reduce),
                "cupy: jitune.sum(x)": in_python(lambda: jitune.sum(y), reduce),
                "cupy: handle.launch(x, out)": in_python(lambda: handle_of_cupy.launch(y, there), launch),
                "x.sum() of cupy": in_python(lambda: y.sum(), reduce),
            })

    def check(self):
        expected = self.x.double().sum().item()
        for name, way in self.ways.items():
            self.out.zero_()
            if cupy:
                self.there.fill(0)
            if way.result is not None:
                result = way.result()
                assert abs(result - expected) < 1e-3 * expected, (name, result, expected)


def host_times(ways):
    blocks = {name: [] for name in ways.ways}
    names = list(ways.ways)
    for block in range(BLOCKS):
        for i in range(len(names)):
            name = names[(i + block) % len(names)]
            torch.cuda.synchronize()
            blocks[name].append(ways.ways[name].measure())
    empty = statistics.median(blocks["nothing"])
    print(f"{'':<32}{'ns a call':>10}{'over C':>10}{'quartiles':>18}")
    for name, way in ways.ways.items():
        row = f"{name:<32}{statistics.median(blocks[name]):>10.0f}"
        if way.base is not None:
            over = [a - b - empty for a, b in zip(blocks[name], blocks[way.base])]
            low, middle, high = statistics.quantiles(over, n=4)
            row += f"{middle:>10.0f}{low:>9.0f} ..{high:>6.0f}"
        print(row)


def whole_times(library):
    sizes = (1 << 10, 1 << 20, 1 << 26)
    print(f"{'us a call with its work':<32}" + "".join(f"{n:>12}" for n in sizes))
    rows = {}
    for n in sizes:
        ways = Ways(library, n)
        ways.check()
        calls = 200 if n < 1 << 26 else 50
        for name, way in ways.ways.items():
            times = []
            for _ in range(9):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                way.measure(calls)
                torch.cuda.synchronize()
                times.append(1e6 * (time.perf_counter() - begin) / calls)
            rows.setdefault(name, []).append(statistics.median(times))
    for name, times in rows.items():
        print(f"{name:<32}" + "".join(f"{one:>12.2f}" for one in times))


def main():
    library = ctypes.CDLL(sys.argv[1])
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CuPy {cupy.__version__ if cupy else '-'}; "
          f"import jitune: {IMPORT_MS:.1f} ms")
    ways = Ways(library, 1024)
    ways.check()
    host_times(ways)
    whole_times(library)


if __name__ == "__main__":
    main()
