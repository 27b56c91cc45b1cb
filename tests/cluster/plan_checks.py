# SPDX-License-Identifier: Apache-2.0
"""A plan of 40 problems of the host, and what must hold of it whatever happens to its tasks."""

import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

PROBLEMS = 40
SWEEP = ["sweep", "reduce", "--types", "float32,int32", "--ops", "sum,max,min,product", "--sizes", "2^8..2^12*2", "--budget", "0",
         "--device", "host"]
SKIPPED = 77  # CTest's SKIP_RETURN_CODE


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def environment(folder: Path):
    """That of tasks: without the caller's database and Slurm."""
    kept = {name: value for name, value in os.environ.items()
            if name == "JITUNE_CXX" or not name.startswith(("SLURM", "JITUNE", "OMPI", "PMIX"))}
    local = folder / "local"
    local.mkdir(mode=0o700, exist_ok=True)
    return kept | {"TMPDIR": str(local), "HOME": str(folder), "JITUNE_LOG": "error"}


class Plan:
    def __init__(self, jitune, folder: Path, sweep=tuple(SWEEP)):
        self.jitune, self.folder = str(jitune), folder
        self.path, self.database = folder / "plan", folder / "collected.db"
        self.environment = environment(folder)
        self.run(*sweep, "--plan", self.path)

    def run(self, *words, codes=(0,)):
        answer = subprocess.run([self.jitune, *map(str, words)], env=self.environment, capture_output=True, text=True,
                                stdin=subprocess.DEVNULL, check=False)
        assert answer.returncode in codes, f"{words}: {answer.returncode}\n{answer.stdout}{answer.stderr}"
        return answer.stdout

    def collect(self):
        """The only class of devices; nothing where no task has begun."""
        found = json.loads(self.run("sweep", "collect", self.path, "--db", self.database, "--json", codes=(0, 1, 4)))
        classes = found["classes"]
        assert len(classes) <= 1, "one machine has one class of devices"
        return classes[0] if classes else None

    def names(self, kind):
        """The names of the files in all shards of "claims" or "results"."""
        return [path.name for path in self.path.glob(f"classes/*/{kind}/*/*")]

    def claimants(self):
        """The processes that have claimed a problem now."""
        return {int(name.split(".claimed.")[1].split("+")[3]) for name in self.names("claims") if ".claimed." in name}

    def wait_until(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"{what} did not happen within {seconds} s"
            time.sleep(0.1)

    def done(self):
        return sum(".done." in name for name in self.names("claims"))

    def check(self, problems=PROBLEMS):
        """Every problem is there once, is done, and was done twice only where a task was taken for dead."""
        found = self.collect()
        assert found["done"] == problems and not found["missing"] and not found["damaged"], found
        claims = {name.split(".")[0]: name.split(".") for name in self.names("claims")}
        assert len(claims) == len(self.names("claims")) == problems, sorted(claims)
        results = collections.Counter(name.split(".")[0] for name in self.names("results") if ".result." in name)
        assert set(results) == set(claims), "each problem has a result"
        raced = [rank for rank, parts in claims.items() if parts[3] != "1"]
        twice = [rank for rank, count in results.items() if count > 1 and rank not in raced]
        lost = [rank for rank, parts in claims.items() if parts[2] != "0"]
        assert set(twice) <= set(lost), f"done twice without having been lost: {twice}, lost: {lost}"
        leftovers = os.listdir(self.path / "unfinished")
        tasks = {name.split(".result.")[1].split(".", 1)[1] for name in self.names("results") if ".result." in name}
        return (f"{problems} problems done by {len(tasks)} tasks; {len(lost)} lost by dead tasks and done again, {len(twice)} of them twice, "
                f"{len(raced)} raced; {len(leftovers)} unfinished files")

    def compare(self):
        """With a sweep of one process: the same problems are served; how many by another configuration."""
        alone = self.folder / "alone.db"
        self.run(*SWEEP, "--db", alone)
        tables = [self.winners(database) for database in (self.database, alone)]
        assert tables[0].keys() == tables[1].keys(), tables[0].keys() ^ tables[1].keys()
        others = [key for key in tables[0] if tables[0][key]["configuration"] != tables[1][key]["configuration"]]
        clear = [key for key in others if not is_tie(tables[0][key], tables[1][key])]
        return f"{len(tables[0])} problems served as by one process; {len(others)} by another configuration, " \
               f"{len(clear)} of them with speed-ups that do not meet: {clear}"

    def winners(self, database):
        rows = json.loads(self.run("db", "list", "--db", database, "--json"))["winners"]
        return {(row["key"]["types"], row["sizes"]): row for row in rows}


def is_tie(one, other):
    return one["speed_up_low"] <= other["speed_up_high"] and other["speed_up_low"] <= one["speed_up_high"]
