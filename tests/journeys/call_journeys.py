# SPDX-License-Identifier: Apache-2.0
"""Journeys of programs that call once and end."""

import json
import os
import re
import stat
from pathlib import Path

from journey import SOURCE, Skipped
from snippet import snippet

N = 1 << 20
SLOW = 5.0  # seconds: more than any wait that is not a tuning's, on a busy machine
NOBODY = 65534


def one_call(trip):
    """each policy answers rightly; `now` is answered by a winner when its time is over; nothing is left"""
    words = [trip.program("one_call"), trip.place, N]
    # On a busy machine a compile may take longer than the budget, and a winner may be withheld as not surely faster.
    winners = ("stored", "tuned") if trip.full else ("stored", "tuned", "rule")
    with trip.home() as home:
        done = home.run(words)
        trip.expect_clean(done)
        trip.expect(done.found["wait"] < SLOW, f"background: the call waited {done.found['wait']} s")
        trip.expect(done.err == "", f"background: it said {done.err.strip()[:200]}")
        trip.show(f"background: waited {done.found['wait'] * 1e3:.1f} ms")
        missed = home.run([trip.arguments.jitune, "worklist", "show"]).out
        trip.expect(f"n={N}" in missed, f"background: the work-list lacks the call: {missed[:200]}")
        home.run([trip.arguments.jitune, "sweep", "worklist", "--budget", 2 if trip.full else 0.3])
        later = home.run([*words, "ask"], JITUNE_TUNE="offline")
        trip.expect(later.found["origin"] in winners, f"after sweep worklist the {later.found['origin']} answers")
    for policy in ("offline", "default"):
        with trip.home(JITUNE_TUNE=policy) as home:
            done = home.run([*words, "ask"])
            trip.expect_clean(done)
            trip.expect(done.found["origin"] == "rule" and done.found["tunings"] == 0, f"{policy}: {done.out}")
    for budget in (0.5, 1, 2, 5) if trip.full else (1,):
        with trip.home(JITUNE_TUNE="now", JITUNE_BUDGET=str(budget)) as home:
            done = home.run([*words, "ask"])
            trip.expect_clean(done)
            found = done.found
            enough = winners if budget >= 1 else (*winners, "rule")  # a compile may take half a second
            trip.expect(found["origin"] in enough, f"now, {budget} s: the {found['origin']} answers")
            late = SLOW if not trip.on_gpu else 0.5
            trip.expect(found["wait"] < budget + late, f"now, {budget} s: the call waited {found['wait']:.2f} s")
            trip.show(f"now, {budget} s: waited {found['wait']:.2f} s, {found['origin']}")
            later = home.run([*words, "ask"]).found
            trip.expect(later["origin"] in enough, f"now, {budget} s: the next start: {later}")


def at_once(trip):
    """16 processes that start at once on one empty database: right sums, one winner, nothing tuned twice"""
    with trip.home(JITUNE_TUNE="now", JITUNE_BUDGET="2") as home:
        words = [trip.program("one_call"), trip.place, N]
        started = [home.start(words) for _ in range(16)]
        outs = [process.communicate(timeout=300) for process in started]
        codes = [process.returncode for process in started]
        trip.expect(codes == [0] * 16, f"exit codes {codes}: {[err for _, err in outs if err][:2]}")
        found = [json.loads(out) for out, _ in outs if out.startswith("{")]
        tunings = sum(one["tunings"] for one in found)
        trip.expect(tunings <= 1, f"{tunings} of 16 processes tuned the problem")
        trip.expect(not home.left(), f"left {home.left()}")
        trip.expect_clean(home.run([trip.arguments.jitune, "db", "verify"]))
        last = home.run([*words, "ask"], JITUNE_TUNE="offline").found
        # On a busy machine a compile may take longer than the budget, and the winner may be withheld.
        enough = ("stored",) if trip.full else ("stored", "rule")
        trip.expect(last["origin"] in enough, f"afterwards the {last['origin']} answers")
        trip.show(f"longest wait {max(one['wait'] for one in found):.2f} s, {tunings} tuned, then {last['origin']}")


def read_only(trip):
    """a database that the user may only read serves its winners and stays as it is; misses are answered, too"""
    words = [trip.program("one_call"), trip.place]
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    closed = [folder for folder in Path(words[0]).resolve().parents if not folder.stat().st_mode & stat.S_IXOTH]
    if user and closed:
        raise Skipped(f"root runs it as another user, who may not enter {closed[0]}")

    def answer(home, n):
        process = home.start([*words, n, "ask"], **user)
        out, err = process.communicate(timeout=300)
        trip.expect(process.returncode == 0, f"n={n}: exit code {process.returncode}: {err.strip()[-300:]}")
        return json.loads(out)["origin"] if process.returncode == 0 else "nothing"

    with trip.home(JITUNE_TUNE="now", JITUNE_BUDGET="2" if trip.full else "0.5") as home:
        trip.expect_clean(home.run(["jitune", "sweep", "reduce", "--types", "float32", "--ops", "sum", "--sizes", N,
                                    "--device", "cuda:0" if trip.on_gpu else "host", "--budget", 0.3]))
        before = home.database.read_bytes()
        folder = home.database.parent
        home.database.chmod(0o444)
        home.temporary.chmod(0o1777)
        for above in (home.folder, folder.parent):
            above.chmod(0o755)
        folder.chmod(0o555)
        got = answer(home, N)
        trip.expect(got == "stored", f"the {got} answers, not the stored winner")
        trip.show(f"{got}; a miss: {answer(home, N // 3)}")
        trip.expect(home.database.read_bytes() == before, "the database has changed")
        folder.chmod(0)  # the user may not even look whether there is one
        trip.show(f"out of sight: {answer(home, N)}")
        folder.chmod(0o755)


def no_compiler(trip):
    """without a compiler, with and without the command, the default answers, in no time"""
    missing = {"JITUNE_CXX": "/nonexistent/c++", "CXX": "/nonexistent/c++", "JITUNE_NVRTC": "/nonexistent/libnvrtc.so",
               "PATH": "/nonexistent"}
    command = {"JITUNE_WORKER": str(trip.arguments.jitune)}
    for policy, worker in (("background", {}), ("now", {}), ("now", command)):
        with trip.home(with_command=False, JITUNE_TUNE=policy, JITUNE_BUDGET="20", **missing, **worker) as home:
            done = home.run([trip.program("one_call"), trip.place, N, *(["ask"] if policy == "now" else [])])
            trip.expect_clean(done)
            if done.code == 0:
                trip.expect(done.found["tunings"] == 0, f"{policy}: it has tuned without a compiler")
                trip.expect(done.found["wait"] < SLOW, f"{policy}: the call waited {done.found['wait']} s")
                trip.show(f"{policy}: waited {done.found['wait'] * 1e3:.0f} ms, said {len(done.err)} letters")


def readme(trip):
    """README's first program prints what README says, and no warning; the other snippets: Docs.SnippetsHold"""
    wanted = snippet(SOURCE, "README.md", "distance 1536\n")
    for policy in (None, "now"):
        settings = {"JITUNE_TUNE": policy, "JITUNE_BUDGET": "1"} if policy else {}
        # An app with an installed jitune finds the installed command by itself; with a build it needs the path.
        with trip.home(with_command=not trip.full, **settings) as home:
            done = home.run([trip.program("readme_app")])
            trip.expect_clean(done)
            trip.expect(done.out == wanted, f"it printed {done.out}")
            trip.expect(done.err == "", f"it said {done.err[:200]}")
            trip.show(f"{policy or 'background'}: {done.seconds:.2f} s")


def own_kernel(trip):
    """docs/tutorial/your_kernel.md, from an empty folder: check, a first call, tune, a call that the winner serves"""
    name, app, side = ("transpose.cu", "kernel_gpu_app", 8192) if trip.on_gpu else ("transpose.host.cpp", "kernel_app", 2048)
    if not trip.arguments.jitune.exists():
        raise Skipped("the command is not built")
    sizes = ["--size", f"rows={side}", "--size", f"columns={side}"]
    with trip.home() as home:
        text = snippet(SOURCE, "docs/tutorial/your_kernel.md", f"backend = \"{'cuda' if trip.on_gpu else 'host'}\"")
        (home.folder / name).write_text(text)
        trip.expect_clean(home.run(["jitune", "check", name, *sizes]))
        first = home.run([trip.program(app)])
        trip.expect_clean(first)
        tuned = home.run(["jitune", "tune", name, *sizes, "--budget", 10 if trip.full else 1])
        trip.expect_clean(tuned)
        later = home.run([trip.program(app)], JITUNE_FROZEN=1)
        trip.expect_clean(later)
        trip.expect(first.out == later.out == "5\n", f"it printed {first.out}, then {later.out}")
        trip.expect(first.err == "", f"the first run said {first.err[:200]}")
        trip.expect(later.err == "", f"the winner does not serve: {later.err[:200]}")
        gain = re.findall(r"([0-9.]+)x", tuned.out)
        trip.show(f"first run {first.seconds:.1f} s, tuned in {tuned.seconds:.1f} s" + (f", {gain[-1]}x" if gain else ""))


JOURNEYS = [readme, one_call, own_kernel, at_once, read_only, no_compiler]
