# SPDX-License-Identifier: Apache-2.0
"""Reductions as operators of PyTorch: torch.ops.jitune.sum and its like, with shapes for tracing and gradients."""

import torch

from jitune import _jitune
from jitune._helpers import dtype_name

NAMES = ("sum", "prod", "min", "max", "argmin", "argmax", "mean", "any", "all", "count_nonzero", "norm")
_SCHEMA = "(Tensor x, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor"
_LIBRARY = torch.library.Library("jitune", "DEF")


def _dims(x, dim):
    """The reduced dimensions, none of them negative."""
    if dim is None:
        return list(range(x.dim()))
    for one in dim:
        if not -x.dim() <= one < x.dim():
            raise IndexError(f"dimension {one} of a tensor with {x.dim()} dimensions")
    return [one % x.dim() for one in dim]


def _result_dtype(name, x, dtype):
    if dtype is not None and name not in ("sum", "prod", "mean", "norm"):
        raise TypeError(f"{name} takes no dtype: cast the result")
    if name in ("any", "all"):
        return torch.bool
    if name in ("argmin", "argmax", "count_nonzero"):
        return torch.int64
    if dtype is not None:
        return dtype
    if name in ("min", "max") or x.dtype.is_floating_point:
        return x.dtype
    return torch.float64 if name in ("mean", "norm") else torch.int64


def _kernel(name):
    call = getattr(_jitune, name)

    def reduce(x, dim=None, keepdim=False, *, dtype=None):
        result = call(x.detach(), None if dim is None else tuple(dim), dtype, None, keepdim)
        return result.contiguous()  # as the shape function says

    return reduce


def _shape(name):
    def reduce(x, dim=None, keepdim=False, *, dtype=None):
        dims = _dims(x, dim)
        sizes = [1 if i in dims else size for i, size in enumerate(x.shape) if keepdim or i not in dims]
        return x.new_empty(sizes, dtype=_result_dtype(name, x, dtype))

    return reduce


def _spread(ctx, tensor):
    """A result or its gradient, in a shape that broadcasts with x."""
    if not ctx.keepdim:
        for one in sorted(ctx.dims):
            tensor = tensor.unsqueeze(one)
    return tensor


def _count(ctx):
    count = 1
    for one in ctx.dims:
        count = count * ctx.shape[one]
    return count


def _sum_gradient(ctx, gradient, x, result):
    return gradient.expand(ctx.shape)


def _mean_gradient(ctx, gradient, x, result):
    return gradient.expand(ctx.shape) / _count(ctx)


def _extreme_gradient(ctx, gradient, x, result):
    """Elements that are equally small or large share it, as with torch.amin()."""
    if not ctx.dims:
        return gradient
    chosen = x == result
    return chosen * gradient / chosen.sum(ctx.dims, keepdim=True)


def _norm_gradient(ctx, gradient, x, result):
    return torch.where(result == 0, torch.zeros_like(x), gradient * x / result)


_GRADIENTS = {"sum": _sum_gradient, "mean": _mean_gradient, "min": _extreme_gradient, "max": _extreme_gradient,
              "norm": _norm_gradient}
_READS_ELEMENTS = ("min", "max", "norm")


def _setup(name):
    def setup_context(ctx, inputs, keyword_only_inputs, output):
        x, dim, ctx.keepdim = inputs
        ctx.dims = _dims(x, dim)
        ctx.shape = x.shape
        ctx.dtype = x.dtype
        if name in _READS_ELEMENTS:
            ctx.save_for_backward(x, output)

    return setup_context


def _backward(name):
    def backward(ctx, gradient):
        x, result = ctx.saved_tensors if name in _READS_ELEMENTS else (None, None)
        result = None if result is None else _spread(ctx, result)
        found = _GRADIENTS[name](ctx, _spread(ctx, gradient), x, result)
        return found.to(ctx.dtype), None, None

    return backward


def _no_gradient(name):
    def backward(ctx, gradient):
        raise NotImplementedError(f"jitune.{name} has no gradient: pass x.detach(), or call torch.{name}")

    return backward


def _define(name):
    _LIBRARY.define(name + _SCHEMA)
    _LIBRARY.impl(name, _kernel(name), "CPU")
    _LIBRARY.impl(name, _kernel(name), "CUDA")
    torch.library.register_fake(f"jitune::{name}", _shape(name), lib=_LIBRARY)
    if name in _GRADIENTS:
        torch.library.register_autograd(f"jitune::{name}", _backward(name), setup_context=_setup(name), lib=_LIBRARY)
    elif name == "prod":
        torch.library.register_autograd(f"jitune::{name}", _no_gradient(name), lib=_LIBRARY)


for _name in NAMES:
    _define(_name)


def reduce(name, x, axis, dtype, keepdims, session):
    """jitune.NAME of a tensor, by its operator."""
    if session is not None:
        raise ValueError(f"{name}: a tensor that requires its gradient is reduced by the standard session: pass none, "
                         "or x.detach()")
    dim = None if axis is None else list(axis) if isinstance(axis, (tuple, list)) else [axis]
    if dtype is not None and not isinstance(dtype, torch.dtype):
        dtype = getattr(torch, dtype_name(dtype))
    return getattr(torch.ops.jitune, name)(x, dim, bool(keepdims), dtype=dtype)
