# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/ that are in Python."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def has_gpu():
    if importlib.util.find_spec("torch") is None:
        return False
    import torch
    return torch.cuda.is_available()


@pytest.mark.parametrize("library", [
    "numpy", pytest.param("torch", marks=pytest.mark.skipif(not has_gpu(), reason="it needs PyTorch and a GPU"))])
@pytest.mark.parametrize("m, iterations", [(20, 80), (3, 100)])  # float32 can do no better; and beyond the solution
def test_conjugate_gradients_solve(library, m, iterations):
    done = subprocess.run([sys.executable, EXAMPLES / "conjugate_gradient.py", str(m), str(iterations), library],
                          env={**os.environ, "JITUNE_DB": "none", "JITUNE_TUNE": "default"}, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    assert 0 <= float(re.search("residual ([^,]*)", done.stdout)[1]) < 2e-6
