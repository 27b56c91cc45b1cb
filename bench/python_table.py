#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long calls from Python take by dtype, axis and layout: ns of the calling thread, beside NumPy or PyTorch.

    JITUNE_DB=none JITUNE_TUNE=default PYTHONPATH=build/python bench/python_table.py [numpy] [cpu] [cuda]

numpy: arrays of NumPy; cpu, cuda: tensors of PyTorch; without a word, of NumPy and on a GPU where there is one. Arrays
have 12 x 16 elements. A time is the least of seven blocks of 200 calls; the work on a GPU is waited for between blocks.
Results, their dtypes and shapes are compared first. "x fast" is over the row of float32 with the same operation and kind
of result, a scalar or an array, in row-major layout. Rows that copy x first are named; the last lines list the others
that take more than 1.5 times as long as the fast one.
"""
import sys
import time

import numpy

import jitune

CALLS, BLOCKS, MOST = 200, 7, 1.5
DTYPES = ("float32", "float64", "float16", "bfloat16", "bool", "int8", "uint8", "int16", "int32", "int64")
OPERATIONS = ("sum", "mean", "max", "argmax", "any")


class Numpy:
    name = "NumPy, host"
    wait = staticmethod(lambda: None)
    dtypes = [one for one in DTYPES if one != "bfloat16"]

    def array(self, values, dtype):
        return values.astype(dtype)

    def permute(self, x, order):
        return x.transpose(order)

    def reduce(self, operation):
        return getattr(numpy, operation)

    def words(self, axis, keepdims):
        return {"axis": axis, **({"keepdims": True} if keepdims else {})}

    def dtype(self, x, name):
        return numpy.dtype(name)

    def values(self, x):
        return numpy.asarray(x, "float64")


class Torch:
    dtypes = DTYPES

    def __init__(self, device):
        import torch
        self.torch, self.device = torch, device
        self.wait = torch.cuda.synchronize if device == "cuda" else lambda: None
        self.name = "PyTorch, " + (torch.cuda.get_device_name() if device == "cuda" else device)

    def array(self, values, dtype):
        return self.torch.tensor(values, device=self.device).to(getattr(self.torch, dtype))

    def permute(self, x, order):
        return x.permute(order)

    def reduce(self, operation):
        return getattr(self.torch, "amax" if operation == "max" else operation)

    def words(self, axis, keepdims):
        return {**({"dim": axis} if axis is not None else {}), **({"keepdim": True} if keepdims else {})}

    def dtype(self, x, name):
        return getattr(self.torch, name)

    def values(self, x):
        return x.double().cpu().numpy()


# The layout of x, its axis, keepdims, dtype, and whether x is copied.
CASES = (
    ("row-major", None, False, None, False),
    ("row-major", 1, False, None, False),
    ("row-major", 0, False, None, False),
    ("row-major", -1, True, None, False),
    ("row-major", 0, True, None, False),
    ("row-major", 1, False, "wide", False),
    ("row-major", None, False, "wide", False),
    ("3-D", (1, 2), False, None, False),
    ("3-D", (0, 1), False, None, False),
    ("3-D", -1, False, None, False),
    ("with a one", 2, False, None, False),
    ("with a one", 0, False, None, False),
    ("column-major", None, False, None, False),
    ("column-major", 0, False, None, False),
    ("column-major", 1, False, None, False),
    ("3-D", 1, False, None, True),
    ("steps", None, False, None, True),
    ("steps", 1, False, None, True),
)


def layout_of(library, name, x):
    if name == "3-D":
        return x.reshape(3, 4, 16)
    if name == "with a one":
        return x.reshape(12, 1, 16)
    return library.permute(x, (1, 0)) if name == "column-major" else x[:, ::2] if name == "steps" else x


def ns(call, wait):
    best = float("inf")
    for _ in range(BLOCKS):
        wait()
        begin = time.perf_counter()
        for _ in range(CALLS):
            call()
        best = min(best, time.perf_counter() - begin)
    wait()
    return 1e9 * best / CALLS


def calls_of(library, operation, x, axis, keepdims, wide):
    """jitune's call and the library's, or None where the library has none."""
    if axis is not None and operation == "argmax" and isinstance(axis, tuple):
        return None
    words, theirs = {"axis": axis}, library.words(axis, keepdims)
    if keepdims:
        words["keepdims"] = True
    if wide:
        if operation not in ("sum", "mean"):
            return None
        is_float = "float" in str(x.dtype)
        words["dtype"] = theirs["dtype"] = library.dtype(x, "float64" if is_float or operation == "mean" else "int64")
    ours, reduce = getattr(jitune, operation), library.reduce(operation)
    try:
        expected = reduce(x, **theirs)
    except (RuntimeError, TypeError):  # as of torch.mean of integers
        return (lambda: ours(x, **words)), None
    got = ours(x, **words)
    assert got.dtype == expected.dtype, (operation, x.dtype, got.dtype, expected.dtype)
    assert tuple(got.shape) == tuple(expected.shape)
    assert numpy.allclose(library.values(got), library.values(expected), rtol=1e-2), (operation, x.dtype, axis)
    return (lambda: ours(x, **words)), (lambda: reduce(x, **theirs))


def table(library):
    print(f"\n{library.name}: ns a call")
    print(f"{'dtype':<10}{'operation':<10}{'layout':<14}{'axis':<8}{'':<18}{'jitune':>8}{'theirs':>8}{'x fast':>8}")
    numbers = numpy.random.default_rng(1).integers(0, 2, (12, 16))
    slow, fast = [], {}
    empty = ns(lambda: None, library.wait)
    for dtype in library.dtypes:
        x = library.array(numbers, dtype)
        for operation in OPERATIONS:
            for layout, axis, keepdims, wide, is_copied in CASES:
                found = calls_of(library, operation, layout_of(library, layout, x), axis, keepdims, wide)
                if found is None:
                    continue
                is_copied = is_copied or (operation, layout, axis) == ("argmax", "column-major", None)
                ours, theirs = (None if call is None else ns(call, library.wait) - empty for call in found)
                ratio = ours / fast.setdefault((operation, axis is None), ours)
                words = " ".join(word for word, is_there in (("keepdims", keepdims), ("dtype", wide), ("copied", is_copied))
                                 if is_there)
                row = (f"{dtype:<10}{operation:<10}{layout:<14}{str(axis):<8}{words:<18}{ours:>8.0f}"
                       f"{'-' if theirs is None else f'{theirs:.0f}':>8}{ratio:>8.2f}")
                print(row)
                if ratio > MOST and not is_copied:
                    slow.append(row)
    print(f"\nmore than {MOST} x the fast one, without a copy: {len(slow) or 'none'}")
    print("\n".join(slow))


def main():
    words = sys.argv[1:]
    if not words:
        words = ["numpy"]
        try:
            import torch
            words += ["cuda"] if torch.cuda.is_available() else []
        except ImportError:
            pass
    for word in words:
        table(Numpy() if word == "numpy" else Torch(word))


if __name__ == "__main__":
    main()
