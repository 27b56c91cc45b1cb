#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conjugate_gradient.py [M] [ITERATIONS] [numpy|torch]: solves A x = b by conjugate gradients.

A is the 7-point Laplacian on M x M x M points. With PyTorch and a GPU, all iterations are one CUDA graph: scalars stay on
the GPU, and nothing waits for the host. Else the arrays are NumPy's, and the CPU computes.
"""

import importlib
import sys
import time

import numpy

import jitune

START = jitune.MapReduce("x[i] = 0; r[i] = b; p[i] = b; rr = sum(b * b)")
# At the solution the sums are 0: nothing moves any more.
DESCEND = jitune.MapReduce("pq = sum(p * q); alpha = where(pq > 0, rr / pq, 0); r[i] = r - alpha * q;"
                           "next = sum(r * r); beta = where(rr > 0, next / rr, 0)")
TURN = jitune.MapReduce("x[i] = x + alpha * p; p[i] = r + beta * p")


def laplacian(p, q):
    """q = A p: 6 times each element, less its six neighbours; zeros beyond the faces."""
    q[...] = 6 * p
    q[1:] -= p[:-1]
    q[:-1] -= p[1:]
    q[:, 1:] -= p[:, :-1]
    q[:, :-1] -= p[:, 1:]
    q[:, :, 1:] -= p[:, :, :-1]
    q[:, :, :-1] -= p[:, :, 1:]


class Solver:
    """Of A x = b, with arrays of any library that has slices."""

    def __init__(self, b, empty_like):
        self.b = b
        self.x, self.r, self.p, self.q = (empty_like(b) for _ in range(4))
        # rr has two places: sum(r * r) of an iteration and of the next, in turn.
        self.pq, self.alpha, self.beta, *self.rr = (empty_like(b[0, 0, 0]) for _ in range(5))
        self.start, self.descend, self.turn = START, DESCEND, TURN

    def prepare(self):
        """Has handles take the place of the formulas, so that a CUDA graph can capture solve()."""
        self.start = START.prepare(**self.of_start())
        self.descend = DESCEND.prepare(**self.of_descend(0))
        self.turn = TURN.prepare(**self.of_turn())

    def solve(self, iterations):
        self.start(**self.of_start())
        for k in range(iterations):
            laplacian(self.p, self.q)
            self.descend(**self.of_descend(k))
            self.turn(**self.of_turn())

    def of_start(self):
        return {"b": self.b, "x": self.x, "r": self.r, "p": self.p, "out": {"rr": self.rr[0]}}

    def of_descend(self, k):
        return {"p": self.p, "q": self.q, "r": self.r, "rr": self.rr[k % 2],
                "out": {"pq": self.pq, "alpha": self.alpha, "beta": self.beta, "next": self.rr[(k + 1) % 2]}}

    def of_turn(self):
        return {"x": self.x, "p": self.p, "r": self.r, "alpha": self.alpha, "beta": self.beta}


def residual(b, x):
    """|b - A x| / |b|, by NumPy in float64."""
    b, x = b.astype("float64"), x.astype("float64")
    product = numpy.empty_like(x)
    laplacian(x, product)
    return numpy.linalg.norm(b - product) / numpy.linalg.norm(b)


def solve_by_numpy(b, iterations):
    """x, and the seconds that it took."""
    solver = Solver(b, numpy.empty_like)
    solver.solve(1)  # what is slow the first time
    begin = time.perf_counter()
    solver.solve(iterations)
    return solver.x, time.perf_counter() - begin


def solve_by_torch(torch, b, iterations):
    """The same on a GPU."""
    solver = Solver(torch.from_numpy(b).cuda(), torch.empty_like)
    solver.prepare()
    solver.solve(1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        solver.solve(iterations)
    graph.replay()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    graph.replay()
    torch.cuda.synchronize()
    return solver.x.cpu().numpy(), time.perf_counter() - begin


def torch_with_gpu():
    """PyTorch, or None without it or a GPU for it."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def main(m=64, iterations=200, library=None):
    torch = None if library == "numpy" else torch_with_gpu()
    if library == "torch" and torch is None:
        sys.exit("conjugate_gradient.py: it needs PyTorch and a GPU")
    b = numpy.random.default_rng(1).uniform(-1, 1, (m, m, m)).astype("float32")
    x, seconds = solve_by_numpy(b, iterations) if torch is None else solve_by_torch(torch, b, iterations)
    print(f"{'NumPy' if torch is None else 'PyTorch'}, {iterations} iterations: residual {residual(b, x):.2e}, "
          f"{seconds * 1e6 / iterations:.1f} us each")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:4])
