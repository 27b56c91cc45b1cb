#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles or runs every snippet of README and docs, so that none goes out of date.

C and C++ are compiled; programs are linked, run, and their output compared, and so are those of Python. CUDA is
compiled by NVRTC, if there is one; kernel templates are checked by `jitune check`. Shell lines with `jitune` are run where that is cheap; of the others, commands and
options must be in `--help`. SQL is run on a database with jitune's schema. pages.py explains the markers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nvrtc
import shell_block
import sql_block
from pages import blocks, pages

# Standard headers that a reader of a fragment takes for granted.
COMMON = "#include <cstddef>\n#include <cstdint>\n#include <cstdio>\n#include <span>\n#include <string>\n#include <vector>\n"
UNCHECKED = {"cmake", "toml", "json", "text"}


class Failure(Exception):
    pass


class Skipped(Exception):
    pass


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **options)


def must_succeed(command, **options):
    done = run(command, **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command[:3]))} …: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Checker:
    def __init__(self, arguments, folder):
        self.source = Path(arguments.source).resolve()
        self.compiler = [arguments.compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable",
                         "-Wno-unused-but-set-variable", "-I", str(self.source / "src/include")]
        self.include = arguments.include
        self.link = arguments.link
        self.folder = Path(folder)
        self.jitune = shell_block.Jitune({Path(path).name: Path(path).resolve() for path in arguments.jitune}, self.source,
                                         self.folder)
        self.package = arguments.package
        self.printed = None  # by the last program

    def check(self, block):
        if block.marker == "output":
            return self.compare(block.text)
        kind = "cuda" if block.language == "cuda" else block.language
        if kind == "sh":
            return self.jitune.check(block)
        if block.marker == "skip":
            raise Skipped(block.value)
        if block.marker == "file":
            return self.template(block)
        if kind in UNCHECKED:
            raise Skipped(f"{kind} is not checked")
        checks = {"c": self.c, "cpp": self.cpp, "cuda": self.cuda, "python": self.python, "sql": self.sql}
        if kind not in checks:
            raise Failure(f"\"{kind}\" is no language of a snippet; there are {sorted([*checks, 'sh', *UNCHECKED])}")
        return checks[kind](block)

    def c(self, block):
        """A program, or statements of a function with the marker's parameters."""
        file = self.folder / "snippet.c"
        is_program = "int main(" in block.text
        file.write_text(block.text if is_program else
                        f"#include <jitune/jitune.h>\nvoid snippet({block.value});\n"
                        f"void snippet({block.value}) {{\n{block.text}}}\n")
        compiled = self.folder / "snippet.o"
        must_succeed(["cc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-variable",
                      "-Wno-unused-but-set-variable", "-I", self.source / "src/include", "-c", file, "-o", compiled])
        if is_program:
            self.run_program(compiled, block)

    def cpp(self, block):
        file = self.folder / "snippet.cpp"
        if "int main(" in block.text:
            file.write_text(block.text)
            if block.marker == "compiles":
                return self.compile_alone(file, block.value)
            self.run_program(file, block)
            return
        lines = block.text.splitlines(keepends=True)
        includes = "".join(line for line in lines if line.startswith("#include"))
        body = "".join("\n" if line.startswith("#include") else line for line in lines)
        file.write_text(f"{COMMON}{includes}void snippet({block.value}) {{\n{body}}}\n")
        must_succeed([*self.compiler, "-Wno-unused-parameter", "-fsyntax-only", file])

    def compile_alone(self, file, header):
        include = [word for folder in self.include for word in ("-isystem", folder)]
        found = run([*self.compiler, *include, "-include", header, "-fsyntax-only", "-x", "c++", "/dev/null"])
        if found.returncode != 0:
            raise Skipped(f"there is no {header}")
        must_succeed([*self.compiler, *include, "-fsyntax-only", file])

    def run_program(self, file, block):
        program = self.folder / "program"
        must_succeed([*self.compiler, file, "-o", program, *self.link])
        environment = {**os.environ, "JITUNE_DB": "none", "JITUNE_BUDGET": "0.1", "JITUNE_WORKER": "none"}
        self.printed = must_succeed([program], env=environment, cwd=self.jitune.folder)
        if block.marker == "prints":
            self.compare(block.value)

    def python(self, block):
        if self.package is None:
            self.printed = None
            raise Skipped("the Python package is not built")
        environment = {**os.environ, "JITUNE_DB": "none", "JITUNE_TUNE": "default", "PYTHONPATH": self.package}
        self.printed = must_succeed([sys.executable, "-c", block.text], env=environment)

    def compare(self, expected):
        if self.printed is None:
            raise Skipped("its program was not run, or is none")
        if self.printed.strip() != expected.strip():
            raise Failure(f"the program prints\n{self.printed}and the page says\n{expected}")

    def cuda(self, block):
        if block.marker != "cuda":
            raise Failure("a cuda block needs a marker: cuda, file=NAME or skip=REASON")
        log = nvrtc.compile_text(block.text)
        if log:
            raise Failure(log)

    def template(self, block):
        """Stays in the folder of programs and shell lines."""
        (self.jitune.folder / block.value).write_text(block.text)
        arch = "host" if block.value.endswith(".host.cpp") else "sm_90"
        done = self.jitune.run(["check", block.value, "--arch", arch, "--sample", "2"])
        if done.returncode == shell_block.EXIT_UNAVAILABLE:
            raise Skipped(done.stderr.strip())
        if done.returncode != 0 or "0 errors, 0 warnings" not in done.stdout:
            raise Failure(done.stdout + done.stderr)

    def sql(self, block):
        error = sql_block.run(block, self.source / "tuner_db" / "file")
        if error:
            raise Failure(error)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, help="the root of the source tree")
    parser.add_argument("--jitune", action="append", required=True, help="the command jitune, or another program")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    parser.add_argument("--package", help="the folder of the Python package, for an interpreter that has NumPy")
    parser.add_argument("--include", action="append", default=[], help="a folder with CUDA's headers")
    parser.add_argument("--page", help="check this page alone")
    parser.add_argument("link", nargs="*", help="what a program is linked with")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    source = Path(arguments.source)
    failed = passed = 0
    skipped = []

    def attempt(check, place, subject):
        nonlocal failed, passed
        try:
            check(subject)
            passed += 1
        except (Skipped, shell_block.Skipped, nvrtc.Missing) as reason:
            skipped.append(f"{place}: {reason}")
        except (Failure, shell_block.Failure) as fault:
            failed += 1
            print(f"{place}: {fault}\n")

    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments, folder)
        for page in [arguments.page] if arguments.page else pages(source):
            found = blocks(source, page)
            for block in found:
                attempt(checker.check, block.place, block)
            if page.endswith(("command_line.md", "article_steps.md")):
                attempt(checker.jitune.check_synopsis, page, (source / page).read_text())
    print("not run:", *skipped, sep="\n  ")
    print(f"{passed} snippets hold, {failed} do not, {len(skipped)} were not run")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
