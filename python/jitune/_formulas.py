# SPDX-License-Identifier: Apache-2.0
"""Formulas over several arrays."""

import functools

from jitune._jitune import MapReduce


@functools.lru_cache(maxsize=256)
def _formula(text, session):
    return MapReduce(text, session)


def map_reduce(text, /, *, out=None, session=None, **inputs):
    """What a formula over arrays gives: each array is read once for all results that do not need one another.

        >>> import numpy, jitune
        >>> x, y = numpy.arange(4.0), numpy.ones(4)
        >>> print(jitune.map_reduce("sum((x - y)**2)", x=x, y=y))
        6.0
        >>> found = jitune.map_reduce("low = min(x); high = max(x, x < 3); z[i] = a * x + y", x=x, y=y, a=2)
        >>> print(found["low"], found["high"], found["z"])
        0.0 2.0 [1. 3. 5. 7.]

    docs/reference/formulas.md has the grammar; jitune.MapReduce takes operations of your own, too. Returns the
    result, or a dict of several in the order of the statements.

    - inputs: what the formula reads, by name. Arrays of any shape, all of one device, C-contiguous and with the same
      number of elements; scalars as numbers or arrays without dimensions. Scalars of NumPy and of arrays keep their
      dtype. A float of Python is float32 if an array is of float32 or a narrower float and none of float64, else
      float64; an int is int32, or int64 or uint64 if it needs them, all of which yield to float32.
    - out: places of results by name: arrays of n elements, or of one for other results, whose dtype the result takes.
    - An array that the formula writes is new, with the shape of the first array that the formula reads; but if the
      call gives the array by its name, as an input or to be written alone, it is written in place.

    Results are scalars, arrays or tensors as those of jitune.sum: for arrays on a GPU they are there, and the work is
    enqueued on the current stream. Results of all() and any() are bools. Sums of integers are of the type of the
    expression, int32 at least: write sum(int64(x)), or give out, for a wider one. Raises jitune.Error, TypeError or
    ValueError.
    """
    return _formula(text, session)(out=out, **inputs)
