#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long calls from Python take on small NumPy arrays, beside NumPy: ns, less an empty call.

    JITUNE_DB=none JITUNE_TUNE=default PYTHONPATH=build/python bench/python_calls.py

Each row is the best of nine rounds of 100 000 calls. Results are compared with NumPy's first. The first line is the
time of the import in ms.
"""
import time

begin = time.perf_counter()
import jitune  # noqa: E402

IMPORT_MS = 1e3 * (time.perf_counter() - begin)

import numpy  # noqa: E402

ROUNDS = 9
CALLS = 100_000


def ns(call):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - begin)
    return 1e9 * best / CALLS


def main():
    x = numpy.arange(64, dtype="float32")
    matrix = x.reshape(8, 8)
    out = numpy.zeros(1, "float32")
    handle = jitune.prepare("sum", x)
    assert jitune.sum(x) == x.sum() == handle(x, out)[0]
    assert (jitune.max(matrix, 0) == matrix.max(0)).all()
    print(f"import jitune: {IMPORT_MS:.1f} ms")
    empty = ns(lambda: None)
    for name, call in {
        "jitune.sum(x)": lambda: jitune.sum(x),
        "x.sum()": lambda: x.sum(),
        "numpy.sum(x)": lambda: numpy.sum(x),
        "jitune.max(matrix, 0)": lambda: jitune.max(matrix, 0),
        "matrix.max(0)": lambda: matrix.max(0),
        "handle(x, out)": lambda: handle(x, out),
        "handle.launch(x, out)": lambda: handle.launch(x, out),
    }.items():
        print(f"{name:<24}{ns(call) - empty:6.0f}")


if __name__ == "__main__":
    main()
