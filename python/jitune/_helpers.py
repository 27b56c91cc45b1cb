# SPDX-License-Identifier: Apache-2.0
"""What the extension asks Python for: arrays of the caller's kind, and layouts that have no kernel of their own."""

import functools
import importlib
import json
import operator
import os
import sys

from_json = json.loads


def option_text(value):
    """The text of an option: 1 and 0 for bools, as the environment has them."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return os.fsdecode(value) if isinstance(value, (os.PathLike, bytes)) else str(value)


def dtype_name(dtype):
    """"float32" of a dtype of NumPy, CuPy or PyTorch, of its name, or of a Python type."""
    if isinstance(dtype, str):
        known = {"float": "float64", "int": "int64"}.get(dtype, dtype)
        return numpy_name(known) if len(known) < 4 else known
    if isinstance(dtype, type) and dtype in (bool, int, float):
        return {bool: "bool", int: "int64", float: "float64"}[dtype]
    return getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)


def numpy_name(text):
    """"float64" of "f8", where NumPy is there."""
    try:
        return importlib.import_module("numpy").dtype(text).name
    except (ImportError, TypeError):
        return text


@functools.lru_cache(maxsize=None)
def _library_of(type_):
    """The module that makes arrays of this type: cupy, torch, or numpy for all others; None without NumPy."""
    bases = {base.__module__.partition(".")[0] for base in type_.__mro__}
    try:
        return importlib.import_module("torch" if "torch" in bases else "cupy" if "cupy" in bases else "numpy")
    except ImportError:
        return None


def _array_library(type_):
    library = _library_of(type_)
    if library is None:
        raise TypeError("the result is an array, which needs NumPy: install it, or pass an array of CuPy or PyTorch")
    return library


def _library(x):
    return _array_library(type(x))


def array_maker(type_, dtype):
    """What makes an array of a shape, of x's kind and on its device: see array_new()."""
    library = _array_library(type_)
    if library.__name__ == "torch":
        dtype = getattr(library, dtype)
        return lambda shape, x: library.empty(shape, dtype=dtype, device=x.device)
    dtype, empty = library.dtype(dtype), library.empty
    return lambda shape, x: empty(shape, dtype)


def cast(x, dtype):
    library = _library(x)
    return x.to(getattr(library, dtype)) if library.__name__ == "torch" else x.astype(dtype)


def copy(out, x):
    (out if hasattr(out, "dtype") else _owned_by(_library(out), out))[...] = x
    return out


def _owned_by(library, x):
    """x as an array that the library can turn and copy."""
    if library.__name__ != "numpy" or isinstance(x, (library.ndarray, library.generic)):
        return x
    try:
        return library.asarray(memoryview(x))
    except TypeError:
        pass
    try:
        return library.from_dlpack(x)
    except AttributeError:
        raise TypeError(f"this layout is copied, which NumPy cannot do with {type(x).__name__}: pass an array of NumPy")


def scalar_maker(type_, dtype):
    """What makes of a number one value as the library of this type gives it: see array_scalar()."""
    library = _library_of(type_)
    if library is None or (library.__name__ == "numpy" and not issubclass(type_, (library.ndarray, library.generic))):
        return lambda number: number
    if library.__name__ == "torch":
        return functools.partial(library.tensor, dtype=getattr(library, dtype))
    return library.dtype(dtype).type


def is_grad_enabled():
    return sys.modules["torch"].is_grad_enabled()


def current_gpu_of(x):
    """What returns the number of the current GPU of x's library; None where there is one GPU."""
    library = _library(x)
    if library.__name__ == "torch":
        current = getattr(library._C, "_cuda_getDevice", library.cuda.current_device)
        return current if library.cuda.device_count() > 1 else None
    return library.cuda.runtime.getDevice if library.cuda.runtime.getDeviceCount() > 1 else None


def enter_device(x, device):
    """A context manager that has made this GPU current."""
    library = _library(x)
    guard = library.cuda.device(device) if library.__name__ == "torch" else library.cuda.Device(device)
    guard.__enter__()
    return guard


def cupy_stream():
    return sys.modules["cupy"].cuda.get_current_stream().ptr


def reduce_with_grad(function, x, axis, dtype, out, keepdims, session):
    """A tensor of PyTorch that requires its gradient, without out: by the operators of jitune.torch."""
    from jitune import _operators

    return _operators.reduce(function, x, axis, dtype, keepdims, session)


def _permuted(x, order):
    return x.permute(order) if _library(x).__name__ == "torch" else x.transpose(order)


def _contiguous(x):
    library = _library(x)
    return x.contiguous() if library.__name__ == "torch" else library.ascontiguousarray(x)


def reduce_strided(function, x, axis, dtype, out, keepdims, session):
    """A layout without a kernel: reduces along the rows of a copy whose reduced dimensions come last.

    Arrays in column-major order are not copied where that has the same result.
    """
    from jitune import _jitune

    call = getattr(_jitune, function)
    x = _owned_by(_library(x), x)
    ndim = x.ndim
    axes = tuple(range(ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(operator.index(one) % ndim for one in axes)
    kept = [one for one in range(ndim) if one not in axes]
    shape = tuple(1 if one in axes else x.shape[one] for one in range(ndim) if keepdims or one not in axes)
    reduced = None
    if axis is not None:
        mirrored = _permuted(x, tuple(range(ndim))[::-1])
        if _contiguous(mirrored) is mirrored or _is_contiguous(mirrored):
            # The rows of the one are the columns of the other; dimensions that are kept come out in turned order.
            flipped = tuple(ndim - 1 - one for one in axes)
            if _is_edge(flipped, ndim) and (len(axes) == 1 or function not in ("argmin", "argmax")):
                reduced = call(mirrored, flipped, dtype, session=session)
                reduced = _permuted(reduced, tuple(range(len(kept)))[::-1]) if len(kept) > 1 else reduced
    if reduced is None:
        moved = _contiguous(_permuted(x, (*kept, *axes))) if ndim else x
        reduced = call(moved, tuple(range(len(kept), ndim)), dtype, session=session)
    if out is not None:
        return copy(out, reduced.reshape(shape))
    return reduced.reshape(shape) if hasattr(reduced, "reshape") and tuple(reduced.shape) != shape else reduced


def map_reduce_moved(formula, arguments, names, written, shape, axes, kept):
    """A formula that reduces dimensions between others: along the rows of copies in which these come last.

    names are those of its results. written has those that are arrays, and whether each is an input, too. shape is that
    of all arrays together, kept that of the other results.
    """
    ndim = len(shape)
    order = (*(one for one in range(ndim) if one not in axes), *axes)
    back = tuple(order.index(one) for one in range(ndim))

    def moved(x):
        if isinstance(x, (bool, int, float)):
            return x
        library = _library(x)
        x = _owned_by(library, x)
        return _contiguous(_permuted(library.broadcast_to(x, shape), order)) if x.ndim > 0 else x

    inputs = {name: x for name, x in arguments.items() if name not in ("out", "axis", "offsets", "keepdims")}
    places = {name: place for name, place in (arguments.get("out") or {}).items() if place is not None}
    targets = {}
    for name, is_input in written.items():
        target = places.get(name, inputs.get(name))
        if not is_input:
            inputs.pop(name, None)
        if target is not None:
            targets[name] = target
            places[name] = _library(target).empty_like(moved(target))
    got = formula(axis=tuple(range(ndim - len(axes), ndim)), out=places,
                  **{name: moved(x) for name, x in inputs.items()})
    got = got if len(names) > 1 else {names[0]: got}
    for name, value in got.items():
        if name in written:
            value = _permuted(value, back)
            got[name] = copy(targets[name], value) if name in targets else _contiguous(value)
        elif name not in places:
            got[name] = value.reshape(kept)
    return got if len(names) > 1 else got[names[0]]


def _is_contiguous(x):
    flags = getattr(x, "flags", None)
    return x.is_contiguous() if flags is None else bool(flags.c_contiguous)


def _is_edge(axes, ndim):
    """Whether these dimensions are the first or the last ones."""
    axes = sorted(axes)
    return axes in (list(range(len(axes))), list(range(ndim - len(axes), ndim)))
