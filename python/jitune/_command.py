# SPDX-License-Identifier: Apache-2.0
"""The command `jitune` of an installed package."""

import os
import sys


def main():
    """Becomes the command that lies in the package."""
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "jitune")
    try:
        os.execv(program, ["jitune", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"jitune: cannot start {program}: {error.strerror}: install the package again")
