#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""conjugate_gradient.py [M] [ITERATIONS] [numpy|torch]: solves A x = b by conjugate gradients.

A is the 7-point Laplacian on M x M x M points. With PyTorch and a GPU the arrays are tensors there, scalars stay on the
GPU, and no call waits for another. Else they are arrays of NumPy, and the CPU computes.
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


def solve(b, iterations, empty_like):
    """x of A x = b. What an iteration gives the next lies in two places, in turn."""
    x, r, p, q = (empty_like(b) for _ in range(4))
    pq, alpha, beta, *rr = (empty_like(b[0, 0, 0]) for _ in range(5))
    START(b=b, x=x, r=r, p=p, out={"rr": rr[0]})
    for k in range(iterations):
        now, following = rr[k % 2], rr[(k + 1) % 2]
        laplacian(p, q)
        DESCEND(p=p, q=q, r=r, rr=now, out={"pq": pq, "alpha": alpha, "beta": beta, "next": following})
        TURN(x=x, p=p, r=r, alpha=alpha, beta=beta)
    return x


def residual(b, x):
    """|b - A x| / |b|, by NumPy in float64."""
    b, x = b.astype("float64"), x.astype("float64")
    product = numpy.empty_like(x)
    laplacian(x, product)
    return numpy.linalg.norm(b - product) / numpy.linalg.norm(b)


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
    empty_like = numpy.empty_like if torch is None else torch.empty_like
    wait = (lambda: None) if torch is None else torch.cuda.synchronize
    b = numpy.random.default_rng(1).uniform(-1, 1, (m, m, m)).astype("float32")
    its_b = b if torch is None else torch.from_numpy(b).cuda()
    solve(its_b, 1, empty_like)  # what is slow the first time
    wait()
    begin = time.perf_counter()
    x = solve(its_b, iterations, empty_like)
    wait()
    seconds = time.perf_counter() - begin
    x = x if torch is None else x.cpu().numpy()
    print(f"{'NumPy' if torch is None else 'PyTorch'}, {iterations} iterations: residual {residual(b, x):.2e}, "
          f"{seconds * 1e6 / iterations:.1f} us each")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]), *sys.argv[3:4])
