# SPDX-License-Identifier: Apache-2.0
"""What each journey works with."""

import os
import subprocess
import sys
from pathlib import Path

from runner import Home, package_settings

SOURCE = Path(__file__).resolve().parent.parent.parent


class Skipped(Exception):
    """A journey that cannot be made here, and why."""


class Journey:
    """One journey: where it is made, and what came of it."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.place = arguments.place
        self.on_gpu = arguments.place == "cuda"
        self.full = arguments.full
        self.shown, self.wrong = [], []

    def expect(self, holds, text):
        if not holds:
            self.wrong.append(text)

    def expect_clean(self, done, code=0):
        """That a program ended so, and left nothing."""
        self.expect(done.code == code, f"{done.name} ended with {done.code}: {done.err.strip()[-300:]}")
        self.expect(not done.left, f"{done.name} left {', '.join(done.left)}")

    def show(self, text):
        self.shown.append(text)

    def home(self, with_command=True, **settings):
        return Home(self.arguments.jitune if with_command else None, **settings)

    def program(self, name):
        file = self.arguments.programs / name
        if not file.exists():
            raise Skipped(f"{name} is not built: it needs CUDA's compiler")
        return file

    def python(self, script, *words):
        """The words of a script of Python that uses the package, and its settings."""
        if not self.arguments.package:
            self.needs("jitune")
        return [sys.executable, "-B", Path(__file__).resolve().parent / script, *words], package_settings(self.arguments.package)

    @staticmethod
    def has(module, package=None):
        """Whether this Python can import a module."""
        environment = {**os.environ, **package_settings(package)}
        return subprocess.run([sys.executable, "-B", "-c", f"import {module}"], env=environment, capture_output=True,
                              check=False).returncode == 0

    def needs(self, module):
        if not self.has(module):
            raise Skipped(f"{sys.executable} has no {module}")
