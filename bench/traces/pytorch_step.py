#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pytorch_step.py: runs one training step of a small GPT on the CPU and prints the reductions that PyTorch's operators
do in it, as a trace for worklist_gain. Needs torch 1.13 or later, 8 GB and some minutes.

Operators that are more than a reduction count with the reductions that they consist of: a softmax with a maximum and a
sum of each row, a layer norm with a mean and a sum of squares of each row, its gradient with two sums of each row and
two of each column. Reductions over dimensions in the middle, which are neither rows nor columns, are counted in "left_out".
"""
import collections
import json
import math
import sys

import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

# The dimensions of nanoGPT's configuration for characters (github.com/karpathy/nanoGPT, train_shakespeare_char.py).
BATCH, BLOCK, LAYERS, HEADS, WIDTH, VOCABULARY = 64, 256, 6, 6, 384, 65


class Recorder(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.calls = collections.Counter()
        self.left_out = 0

    def add(self, op, tensor, dims):
        """A reduction of `tensor` over `dims`; all of them if None."""
        kind = str(tensor.dtype).removeprefix("torch.")
        shape = list(tensor.shape)
        dims = list(range(len(shape))) if not dims else sorted(d % len(shape) for d in dims)
        kept = [d for d in range(len(shape)) if d not in dims and shape[d] != 1]
        gone = [d for d in dims if shape[d] != 1]
        inner = math.prod(shape[d] for d in gone)
        outer = math.prod(shape[d] for d in kept)
        if inner <= 1 or tensor.numel() == 0:
            return
        if not kept:
            self.calls["all", (inner,), kind, op] += 1
        elif max(kept) < min(gone):
            self.calls["rows", (outer, inner), kind, op] += 1
        elif max(gone) < min(kept):
            self.calls["columns", (inner, outer), kind, op] += 1
        else:
            self.left_out += 1

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        result = function(*arguments, **(options or {}))
        self.record(function.overloadpacket.__name__, arguments, options or {})
        return result

    def record(self, name, arguments, options):
        simple = {"sum": "sum", "mean": "mean", "amax": "max", "amin": "min", "max": "max", "min": "min",
                  "argmax": "arg_max", "argmin": "arg_min", "linalg_vector_norm": "norm", "norm": "norm",
                  "prod": "product", "any": "any", "all": "all", "count_nonzero": "count_nonzero"}
        if name in simple:
            given = [one for one in arguments[1:] if isinstance(one, (list, tuple))]
            dims = options.get("dim", given[0] if given else None)
            if name in ("argmax", "argmin", "max", "min") and len(arguments) > 1 and isinstance(arguments[1], int):
                dims = [arguments[1]]
            self.add(simple[name], arguments[0], dims)
        elif name in ("_softmax", "_log_softmax"):
            self.add("max", arguments[0], [arguments[1]])
            self.add("sum", arguments[0], [arguments[1]])
        elif name in ("_softmax_backward_data", "_log_softmax_backward_data"):
            self.add("sum", arguments[0], [arguments[2]])
        elif name == "native_layer_norm":
            dims = list(range(-len(arguments[1]), 0))
            self.add("mean", arguments[0], dims)
            self.add("sum_of_squares", arguments[0], dims)
        elif name == "native_layer_norm_backward":
            inner = list(range(-len(arguments[2]), 0))
            outer = list(range(arguments[0].dim() - len(arguments[2])))
            for dims in (inner, outer):
                self.add("sum", arguments[0], dims)
                self.add("sum", arguments[0], dims)
        elif name == "nll_loss_forward":
            self.add("mean", arguments[0][:, 0], None)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = nn.LayerNorm(WIDTH)
        self.attention = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.between = nn.LayerNorm(WIDTH)
        self.wide = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        parts = [part.view(BATCH, BLOCK, HEADS, WIDTH // HEADS).transpose(1, 2)
                 for part in self.attention(self.before(x)).split(WIDTH, dim=2)]
        scores = parts[0] @ parts[1].transpose(-2, -1) / math.sqrt(WIDTH // HEADS)
        later = torch.ones(BLOCK, BLOCK, dtype=torch.bool).triu(1)
        weights = functional.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        x = x + self.projection((weights @ parts[2]).transpose(1, 2).reshape(BATCH, BLOCK, WIDTH))
        return x + self.narrow(functional.gelu(self.wide(self.between(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(LAYERS)])
        self.after = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.after(self.blocks(self.tokens(tokens) + self.places(torch.arange(BLOCK)))))


def step(model, optimizer, tokens, targets):
    """As nanoGPT's: forward, backward, gradients clipped by their norm, AdamW; and the share of right predictions."""
    logits = model(tokens).view(-1, VOCABULARY)
    loss = functional.cross_entropy(logits, targets.reshape(-1))
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    right = (logits.argmax(-1) == targets.reshape(-1)).float().mean()
    optimizer.zero_grad()
    return loss, right


def main():
    torch.manual_seed(1)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = torch.randint(VOCABULARY, (BATCH, BLOCK + 1))
    recorder = Recorder()
    with recorder:
        loss, _ = step(model, optimizer, text[:, :-1], text[:, 1:])
    print(f"loss {loss.item():.3f}, {recorder.left_out} left out", file=sys.stderr)
    rows = [{"shape": shape, "sizes": list(sizes), "type": kind, "op": op, "calls": calls}
            for (shape, sizes, kind, op), calls in sorted(recorder.calls.items())]
    head = {"program": "bench/traces/pytorch_step.py", "version": "torch " + torch.__version__,
            "left_out": recorder.left_out}
    lines = [f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in head.items()]
    print("{\n" + "".join(lines) + ' "calls": [\n' + ",\n".join("  " + json.dumps(row) for row in rows) + "\n ]\n}")


if __name__ == "__main__":
    main()
