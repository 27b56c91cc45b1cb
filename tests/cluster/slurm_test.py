# SPDX-License-Identifier: Apache-2.0
"""slurm_test.py JITUNE: tasks of a real Slurm work on one plan, while one of them is killed, a node's daemon is stopped
and started, and time limits end jobs. Nothing may be lost, and nothing done twice but what was under way."""

import contextlib
import os
import signal
import sys
import tempfile
from pathlib import Path

import plan_checks
import slurm


def script(folder: Path, name, line):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    return path


def kill_one(plan):
    """Kills a task while it works, as a node's loss of power would."""
    plan.wait_until(plan.claimants, "a claim")
    for process in plan.claimants():
        try:
            os.kill(process, signal.SIGKILL)
            return
        except ProcessLookupError:
            continue


def work_by_srun(cluster, plan):
    """A step on both nodes. One task is killed, and the daemon of its node leaves for a while."""
    step = cluster.begin("srun", "-N2", "-n2", "--kill-on-bad-exit=0", plan.jitune, "sweep", "work", plan.path)
    plan.wait_until(lambda: plan.done() >= 3, "three problems done")
    kill_one(plan)
    cluster.stop_node("n2")
    plan.wait_until(lambda: plan.done() >= 8, "more problems while the daemon of a node is away")
    cluster.start_node("n2")
    return step


def work_by_array(cluster, plan, folder):
    array = script(folder, "array.sh", f"exec '{plan.jitune}' sweep work '{plan.path}'")
    cluster.call("sbatch", "-W", "--array=0-3", "-o", folder / "array.%a.log", array)


def slow_compiler(folder):
    """The host's compiler, seconds late: on no machine does a search of hundreds of configurations end before its job."""
    return script(folder, "slow_compiler.sh", 'case "$*" in *--version*) ;; *) sleep 3 ;; esac\nexec c++ "$@"')


def begin_too_long(cluster, jitune, folder):
    """A job that Slurm ends in the middle of its only problem, which takes many minutes."""
    folder.mkdir(mode=0o700)
    plan = plan_checks.Plan(jitune, folder, ["sweep", "reduce", "--sizes", "2^4..2^24", "--budget", "600", "--device",
                                             "host"])
    compiler = slow_compiler(folder)
    compiler.chmod(0o700)
    # Without --time-left, it would leave by itself.
    job = script(folder, "job.sh",
                 f"export JITUNE_CXX='{compiler}'\nexec '{jitune}' sweep work '{plan.path}' --time-left 1h")
    number = cluster.call("sbatch", "--parsable", "--time=60", "-o", folder / "job.log", job).strip()
    return plan, number


def has_measured(folder):
    """Whether the only task that is still at work has a time in its journal."""
    for journal in folder.glob("local/jitune-work-*/tuning.db-sweep-*"):
        with contextlib.suppress(FileNotFoundError):
            if b"timed" in journal.read_bytes():
                return True
    return False


def reach_time_limit(cluster, plan, number, folder):
    """Slurm's shortest time limit is a minute: instead the end of the job comes now. Slurm looks twice a minute."""
    plan.wait_until(lambda: has_measured(folder), "a measurement of the job")
    cluster.call("scontrol", "update", f"JobId={number}", "EndTime=now+1")


def end_too_long(cluster, plan, number):
    plan.wait_until(lambda: not cluster.call("squeue", "-h", "-j", number, check=False).strip(), "the end of the job",
                    240)
    found = plan.collect()
    assert found["waiting"] == found["problems"], found
    assert all(row["losses"] == 0 for row in found["missing"]), "handed back, not lost"
    assert any(".part." in name for name in plan.names("results")), "what was measured is delivered"


def main():
    jitune = Path(sys.argv[1]).resolve()
    if reason := slurm.missing():
        plan_checks.skip(reason)
    with tempfile.TemporaryDirectory(prefix="jitune-slurm-") as name:
        folder = Path(name)
        plan = plan_checks.Plan(jitune, folder)
        daemons = folder / "slurm"
        daemons.mkdir()
        with slurm.Slurm(daemons, plan.environment) as cluster:
            too_long, number = begin_too_long(cluster, jitune, folder / "long")
            step = work_by_srun(cluster, plan)
            work_by_array(cluster, plan, folder)
            step.wait()
            if plan.done() < plan_checks.PROBLEMS:  # what the killed task had, if it died last
                work_by_array(cluster, plan, folder)
            reach_time_limit(cluster, too_long, number, folder)
            print(plan.check())
            print(plan.compare())
            end_too_long(cluster, too_long, number)
            print("a job was ended by its time limit: its problem waits again, with what was measured")


main()
