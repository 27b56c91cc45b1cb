# SPDX-License-Identifier: Apache-2.0
"""Checks shell lines of the docs: commands of `jitune` and `jitune_steps` against these programs."""

import os
import re
import shlex
import shutil
import struct
import subprocess

import sql_block

# Run as they are, with the template's default in place of tuning; the others' options must be in --help.
CHEAP = {"devices", "reduce", "stencil", "entropy", "db list", "db path", "db explain", "db verify"}
# Start the command that follows their own words, on this machine or others.
LAUNCHERS = {"srun", "mpirun", "parallel", "ssh"}
EXIT_UNAVAILABLE = 4  # a GPU that is not there


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def write_npy(path, shape, value):
    """A float32 array of one value, as NumPy writes it."""
    count = 1
    for size in shape:
        count *= size
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header = text.ljust((len(text) + 11 + 63) // 64 * 64 - 11) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<f", value) * count)


def commands(text):
    """The commands of a block: lines joined, comments and redirections left out, pipes and lists taken apart."""
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|<>")
        lexer.whitespace_split = True
        words = []
        skip = False
        for token in lexer:
            if re.fullmatch(r"[;&|]+", token):
                if words:
                    yield words
                words = []
            elif re.fullmatch(r"[<>]+", token):
                skip = True
            elif skip:
                skip = False
            else:
                words.append(token)
        if words:
            yield words


class Jitune:
    """The programs, run in a folder with the source tree's files and some arrays."""

    def __init__(self, programs, source, folder):
        """`programs`: their paths by name."""
        self.programs, self.source, self.folder = programs, source, folder / "shell"
        self.folder.mkdir()
        for name in ("examples", "scripts", "bench"):
            (self.folder / name).symlink_to(source / name)
        write_npy(self.folder / "data.npy", (1000,), 0.5)
        write_npy(self.folder / "signal.npy", (1000,), 0.5)
        write_npy(self.folder / "levels.npy", (40, 50), 3.0)
        database = self.folder / "tuning.db"
        sql_block.make_database(database, source / "tuner_db" / "file").close()
        database.chmod(0o600)
        self.helps = {}

    def run(self, words, program="jitune"):
        environment = {**os.environ, "JITUNE_TUNE": "default", "JITUNE_BUDGET": "0.1",
                       "JITUNE_DB": str(self.folder / "tuning.db")}
        return subprocess.run([self.programs[program], *words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=300)

    def help(self, program, name):
        if (program, name) not in self.helps:
            done = self.run([*name.split(), "--help"], program)
            if done.returncode != 0:
                raise Failure(f"{program} {name} --help: exit code {done.returncode}\n{done.stderr}")
            self.helps[program, name] = done.stdout
        return self.helps[program, name]

    def name_of(self, words):
        """"db explain" of `db explain --op sum`, "sweep kernel" of `sweep scale.cu`."""
        if words[0] == "sweep" and re.search(r"(FILE|\.cu|\.cpp)$", words[1]):
            return "sweep kernel"
        if words[0] in ("db", "sweep", "worklist") and len(words) > 1:
            return f"{words[0]} {words[1]}"
        return words[0]

    def check_options(self, words, program="jitune"):
        if not words or words[0].startswith("-"):
            return
        name = self.name_of(words)
        text = self.help(program, name)
        for word in words:
            option = re.match(r"(--[a-z][\w-]*|-[a-z])(?:=|$)", word)
            if option and not re.search(rf"(?<![\w-]){option[1]}(?![\w-])", text):
                raise Failure(f"{program} {name} has no option {option[1]}")

    def check(self, block):
        for words in commands(block.text):
            while words and re.fullmatch(r"\w+=.*|time", words[0]):
                words = words[1:]
            if words and words[0] in LAUNCHERS and "jitune" in words:
                words = words[words.index("jitune"):]
            program = words[0].rpartition("/")[2] if words else ""
            if program in self.programs:
                self.check_options(words[1:], program)
                if program == "jitune" and block.marker != "skip" and self.name_of(words[1:]) in CHEAP:
                    self.check_run(words[1:])
            elif block.marker != "skip" and words and not self.is_there(words[0]):
                raise Failure(f"there is no command {words[0]}; give the block the marker skip=REASON")
        if block.marker == "skip":
            raise Skipped(block.value)

    def is_there(self, program):
        return shutil.which(program) or (self.source / program).exists()

    def check_run(self, words):
        done = self.run(words)
        if done.returncode not in (0, EXIT_UNAVAILABLE):
            raise Failure(f"jitune {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")

    def check_synopsis(self, text):
        """The indented lines of a reference page name options of commands, and no others."""
        synopsis = {}
        name = None
        for line in text.splitlines():
            program = line.split(" ")[4] if line.startswith("    jitune") else ""
            if program in self.programs:
                name = (program, self.name_of(line.split()[1:]))
            if line.startswith("    ") and name:
                synopsis.setdefault(name, set()).update(re.findall(r"(?<![\w-])(--[a-z][\w-]*|-[a-z])(?![\w-])", line))
            elif not line.startswith("    "):
                name = None
        for (program, name), options in synopsis.items():
            for option in options:
                self.check_options([*name.split(), option], program)
