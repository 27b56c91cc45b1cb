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


class Ways:
    """Ways to sum n floats, by name: (a function that returns ns a call, the name of the way to compare with)."""

    def __init__(self, library, n):
        self.x = torch.rand(n, device="cuda")
        self.out = torch.zeros((), device="cuda")
        x, out = self.x, self.out
        handle = jitune.prepare("sum", x)
        bound = handle.bind(x, out)

        def in_c(function):
            function.restype = ctypes.c_double
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int]
            return lambda calls=CALLS: function(x.data_ptr(), out.data_ptr(), n, None, calls)

        def in_python(call):
            return lambda calls=CALLS: block_ns(call, calls)

        self.ways = {
            "C: jitune_reduce": (in_c(library.reduce_ns), None),
            "C: jitune_launch": (in_c(library.launch_ns), None),
            "nothing": (in_python(lambda: None), None),
            "torch: jitune.sum(x, out=out)": (in_python(lambda: jitune.sum(x, out=out)), "C: jitune_reduce"),
            "torch: jitune.sum(x)": (in_python(lambda: jitune.sum(x)), "C: jitune_reduce"),
            "torch: handle(x, out)": (in_python(lambda: handle(x, out)), "C: jitune_launch"),
            "torch: handle.launch(x, out)": (in_python(lambda: handle.launch(x, out)), "C: jitune_launch"),
            "torch: bound.launch()": (in_python(lambda: bound.launch()), "C: jitune_launch"),
            "torch.sum(x, 0, out=out)": (in_python(lambda: torch.sum(x, 0, out=out)), "C: jitune_reduce"),
            "x.sum() of torch": (in_python(lambda: x.sum()), "C: jitune_reduce"),
        }
        if cupy:
            y, there = cupy.asarray(x), cupy.zeros((), "float32")
            handle_of_cupy = jitune.prepare("sum", y)
            self.there = there
            self.ways.update({
                "cupy: jitune.sum(x, out=out)": (in_python(lambda: jitune.sum(y, out=there)), "C: jitune_reduce"),
                "cupy: jitune.sum(x)": (in_python(lambda: jitune.sum(y)), "C: jitune_reduce"),
                "cupy: handle.launch(x, out)": (in_python(lambda: handle_of_cupy.launch(y, there)), "C: jitune_launch"),
                "x.sum() of cupy": (in_python(lambda: y.sum()), "C: jitune_reduce"),
            })

    def check(self):
        expected = self.x.double().sum().item()
        for name, (way, _) in self.ways.items():
            self.out.zero_()
            if cupy:
                self.there.fill(0)
            assert way(1) >= 0, name
            torch.cuda.synchronize()
            for written in (self.out.item(), float(self.there) if cupy else 0):
                assert written == 0 or abs(written - expected) < 1e-3 * expected, (name, written, expected)


def host_times(ways):
    blocks = {name: [] for name in ways.ways}
    names = list(ways.ways)
    for block in range(BLOCKS):
        for i in range(len(names)):
            name = names[(i + block) % len(names)]
            torch.cuda.synchronize()
            blocks[name].append(ways.ways[name][0]())
    empty = statistics.median(blocks["nothing"])
    print(f"{'':<32}{'ns a call':>10}{'over C':>10}{'quartiles':>18}")
    for name, (_, base) in ways.ways.items():
        row = f"{name:<32}{statistics.median(blocks[name]):>10.0f}"
        if base is not None:
            over = [a - b - empty for a, b in zip(blocks[name], blocks[base])]
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
        for name, (way, _) in ways.ways.items():
            times = []
            for _ in range(9):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                way(calls)
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
