# SPDX-License-Identifier: Apache-2.0
"""mpi_test.py JITUNE: tasks that mpirun starts work on one plan."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import plan_checks

TASKS = 6


def main():
    jitune = Path(sys.argv[1]).resolve()
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        plan_checks.skip("mpirun not found: install openmpi-bin")
    with tempfile.TemporaryDirectory(prefix="jitune-mpi-") as name:
        plan = plan_checks.Plan(jitune, Path(name))
        subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(TASKS), str(jitune), "sweep", "work",
                        str(plan.path)], env=plan.environment, stdin=subprocess.DEVNULL, check=True)
        print(plan.check())
        print(plan.compare())


main()
