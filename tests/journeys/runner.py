# SPDX-License-Identifier: Apache-2.0
"""Runs a program as a user of its own would: with an empty home, and with nothing of jitune in its environment.

What a program leaves behind is found by a mark in its environment, which all that it starts inherits, and in its folder
for temporary files.
"""

import json
import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

MARK = "JOURNEY"
GRACE = 2.0  # seconds in which what has been killed may end


@dataclass
class Done:
    """What a program did."""
    words: list
    code: int  # -N: ended by signal N
    out: str
    err: str
    seconds: float
    left: list = field(default_factory=list)  # processes and files

    @property
    def found(self):
        """The line of JSON that it printed."""
        for line in reversed(self.out.splitlines()):
            if line.startswith("{"):
                return json.loads(line)
        raise RuntimeError(f"{self.name} printed no line of JSON, and ended with {self.code}: {self.err.strip()[-500:]}")

    @property
    def name(self):
        return " ".join([Path(self.words[0]).name, *self.words[1:]])


def package_settings(package):
    """For a script that uses the Python package, which lies in this folder; None: which is installed."""
    return {"PYTHONPATH": package} if package else {}


class Home:
    """A home of one user, who has the command `jitune` on the path, or has not."""

    def __init__(self, jitune=None, **settings):
        self.folder = Path(tempfile.mkdtemp(prefix="journey-"))
        self.mark = f"{os.getpid()}-{self.folder.name}"
        self.database = self.folder / "cache/jitune/tuning.db"
        self.temporary = self.folder / "tmp"
        (self.folder / "bin").mkdir()
        self.temporary.mkdir()
        path = os.environ.get("PATH", "/usr/bin:/bin")
        if jitune:
            (self.folder / "bin/jitune").symlink_to(jitune)
            path = f"{self.folder}/bin:{path}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("JITUNE_")}
        self.environment = {**kept, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"),
                            "TMPDIR": str(self.temporary), "PATH": path, MARK: self.mark, **settings}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self):
        for process in self.processes():
            subprocess.run(["kill", "-KILL", process.split()[0]], stderr=subprocess.DEVNULL, check=False)

    def start(self, words, **options):
        settings = {name: str(value) for name, value in options.pop("settings", {}).items()}
        return subprocess.Popen([str(word) for word in words], env={**self.environment, **settings}, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                cwd=self.folder, **options)

    def run(self, words, timeout=300, **settings):
        """A program with these environment variables. One that takes longer is killed: its code is -9."""
        begun = time.monotonic()
        process = self.start(words, settings=settings)
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = process.communicate()
        return Done([str(word) for word in words], process.returncode, out, err, time.monotonic() - begun, self.left())

    def left(self):
        """Processes and temporary files, once what is ending has had its time."""
        end = time.monotonic() + GRACE
        while (found := self.processes() + self.files()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def await_end(self, seconds):
        """Until none of the processes is there that this home's programs have started, or the time is over."""
        end = time.monotonic() + seconds
        while self.processes() and time.monotonic() < end:
            time.sleep(0.05)

    def processes(self):
        """"PID COMMAND" of each process that this home's programs have started."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"{MARK}={self.mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{folder.name} {command.strip()[:80]}")
            except OSError:
                pass  # it has ended, or is another user's
        return found

    def files(self):
        return [f"$TMPDIR/{entry.name}" for entry in self.temporary.iterdir()]
