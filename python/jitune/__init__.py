# SPDX-License-Identifier: Apache-2.0
"""Reductions that are tuned for the device, the types and the sizes that they are called with.

    >>> import numpy, jitune
    >>> x = numpy.arange(12, dtype="float32").reshape(3, 4)
    >>> print(jitune.sum(x), jitune.max(x, axis=0), jitune.argmin(x, axis=1))
    66.0 [ 8.  9. 10. 11.] [0 0 0]

Functions have NumPy's names and arguments, and take arrays of NumPy, CuPy, PyTorch and all that speak DLPack,
__cuda_array_interface__ or the buffer protocol.
"""

from jitune._jitune import (
    Bound,
    CommandError,
    CompileError,
    DeviceError,
    Error,
    ForkedError,
    InternalError,
    InterruptedError,
    MapReduce,
    NotPreparedError,
    Prepared,
    PreparedMapReduce,
    Session,
    StoreError,
    TunedKernel,
    UnavailableError,
    UsageError,
    VerifyError,
    __version__,
    all,
    any,
    argmax,
    argmin,
    command,
    count_nonzero,
    custom_reduce,
    entropy,
    max,
    mean,
    min,
    norm,
    prepare,
    prod,
    segment_reduce,
    stencil,
    sum,
)
from jitune import db
from jitune._formulas import map_reduce
from jitune._sweep import sweep, tune

__all__ = [
    "Bound", "CommandError", "CompileError", "DeviceError", "Error", "ForkedError", "InternalError", "InterruptedError",
    "MapReduce", "NotPreparedError", "Prepared", "PreparedMapReduce", "Session", "StoreError", "TunedKernel",
    "UnavailableError", "UsageError", "VerifyError", "all", "any", "argmax", "argmin", "command", "count_nonzero",
    "custom_reduce", "db", "entropy", "map_reduce", "max", "mean", "min", "norm", "prepare", "prod", "segment_reduce",
    "stencil", "sum", "sweep", "tune",
]
