# SPDX-License-Identifier: Apache-2.0
"""Formulas over several arrays."""

import functools

from jitune._jitune import MapReduce


@functools.lru_cache(maxsize=256)
def _formula(text, session):
    return MapReduce(text, session)


def map_reduce(text, /, *arrays, axis=None, offsets=None, keepdims=False, out=None, session=None, **inputs):
    """What a formula over arrays gives: each array is read once for all results that do not need one another.

        >>> import numpy, jitune
        >>> x, y = numpy.arange(4.0), numpy.ones(4)
        >>> print(jitune.map_reduce("sum((x - y)**2)", x=x, y=y))
        6.0
        >>> found = jitune.map_reduce("low = min(x); high = max(x, x < 3); z[i] = a * x + y", x=x, y=y, a=2)
        >>> print(found["low"], found["high"], found["z"])
        0.0 2.0 [1. 3. 5. 7.]
        >>> print(jitune.map_reduce("t = max(x); y[i] = x - t", x=x.reshape(2, 2), axis=-1)["y"])
        [[-1.  0.]
         [-1.  0.]]

    docs/reference/formulas.md has the grammar; jitune.MapReduce takes operations of your own, too. Returns the
    result, or a dict of several in the order of the statements.

    - inputs: what the formula reads, by name. Arrays of any shape, all of one device, C-contiguous and, without axis,
      with the same number of elements; scalars as numbers or arrays without dimensions. Scalars of NumPy and of arrays
      keep their dtype. A float of Python is float32 if an array is of float32 or a narrower float and none of float64,
      else float64; an int is int32, or int64 or uint64 if it needs them, all of which yield to float32.
    - axis, keepdims: the dimensions that operations reduce, and the shape of results, as of jitune.sum. An input is
      broadcast as NumPy does it, from 1 in place of the dimensions that are reduced (one value for each row, say), or
      of all others (one for each column). Dimensions between others are moved to the end of copies.
    - offsets: int32 or int64; operations reduce each segment, the elements from offsets[k] on, before offsets[k + 1].
      A result has len(offsets) - 1 elements. Arrays have one dimension, or (segments, 1) for one value for each.
      Elements before the first offset and from the last on are neither reduced nor written.
    - out: places of results by name: arrays of as many elements as the result has, which takes their dtype.
    - An array that the formula writes is new, with the shape of the first array that the formula reads, or of all
      together if there is an axis; but if the call gives the array by its name, as an input or to be written alone, it
      is written in place.

    No input has a name of these arguments. Results are scalars, arrays or tensors as those of jitune.sum: for arrays
    on a GPU they are there, and the work is enqueued on the current stream. Results of all() and any() are bools. Sums
    of integers are of the type of the expression, int32 at least: write sum(int64(x)), or give out, for a wider one.
    Raises jitune.Error, TypeError or ValueError.
    """
    if arrays:
        raise TypeError('map_reduce takes its arrays by name, as in map_reduce("sum(x * y)", x=x, y=y)')
    return _formula(text, session)(axis=axis, offsets=offsets, keepdims=keepdims, out=out, **inputs)
