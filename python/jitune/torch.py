# SPDX-License-Identifier: Apache-2.0
"""jitune inside torch.compile: import this module before, and a compiled function keeps its calls in one graph.

    import jitune.torch

    @torch.compile(fullgraph=True)
    def loss(x):
        return jitune.mean(x * x, axis=0)

Operators: torch.ops.jitune.sum(x, dim=None, keepdim=False, *, dtype=None), and prod, min, max, argmin, argmax, mean,
any, all, count_nonzero, norm likewise; dim is a list. sum, mean, min, max and norm have gradients.
"""

import torch

from jitune import _jitune, _operators


def _stand_in(name):
    """What a compiled function calls in the place of jitune.NAME."""
    def reduce(x, axis=None, dtype=None, out=None, keepdims=False, *, session=None):
        result = _operators.reduce(name, x, axis, dtype, keepdims, session)
        if out is None:
            return result
        if out.shape != result.shape or out.dtype != result.dtype:
            raise ValueError(f"{name}: out must be a tensor of {result.dtype} and shape {tuple(result.shape)}")
        return out.copy_(result.detach())

    reduce.__name__ = name
    return reduce


for _name in _operators.NAMES:
    torch.compiler.substitute_in_graph(getattr(_jitune, _name), skip_signature_check=True)(_stand_in(_name))
