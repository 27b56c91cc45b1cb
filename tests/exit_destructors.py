#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists what a library of jitune has destroyed as a process ends, and ends with 1 if calls that come later could miss it.

    exit_destructors.py LIBRARY.a

Calls may come from destructors of the app's statics and from threads that outlive main. Statics that calls use are
trivially destructible, or made with new and left.
"""
import re
import subprocess
import sys
import tempfile

# What is destroyed without harm: nothing is freed, or calls know that it is gone.
HARMLESS = re.compile(r"^(jitune::\S*TuneObserver::~TuneObserver\(\)"  # has no state
                      r"|std::ios_base::Init::~Init\(\)"
                      r"|jitune::\S*ThreadOwn<.*>::Key::~Key\(\))$")  # calls see it: thread_own.hpp
FUNCTION = re.compile(r"D[0-2]Ev$|_FUN")
RELOCATION = re.compile(r"^[0-9a-f]+\s+[0-9a-f]+\s+R_\S+\s+[0-9a-f]+\s+(\S+)")


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, **options).stdout


def objects(archive):
    """The members of an archive that name __cxa_atexit. Several may have one name."""
    with open(archive, "rb") as file:
        file.seek(len("!<arch>\n"))
        while header := file.read(60):
            size = int(header[48:58])
            content = file.read(size + size % 2)
            if content.startswith(b"\x7fELF") and b"__cxa_atexit" in content:
                yield content


def registered(content):
    """The functions that an object gives to __cxa_atexit: the last one that is named before the call is."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        functions, last = [], None
        for line in run("readelf", "-rW", file.name, text=True).splitlines():
            found = RELOCATION.match(line)
            symbol = found.group(1) if found else ""
            if symbol == "__cxa_atexit":
                functions.append(last)
            if symbol in ("__cxa_atexit", "__cxa_guard_acquire"):
                last = None
            elif FUNCTION.search(symbol):
                last = symbol
        return functions if None not in functions else disassembled(file.name)


def disassembled(path):
    """The same where one is local, for which there is no relocation. Takes long."""
    last, functions = "?", []
    for line in run("objdump", "-dr", "--no-show-raw-insn", path, text=True).splitlines():
        if "R_" in line and "__cxa_atexit" in line:
            functions.append(last)
        for symbol in re.findall(r"[\w.$]+", line):
            last = symbol if FUNCTION.search(symbol) else last
    return functions


def main():
    found = {symbol for content in objects(sys.argv[1]) for symbol in registered(content)}
    names = run("c++filt", text=True, input="\n".join(sorted(found))).splitlines()
    wrong = [name for name in names if not HARMLESS.match(name)]
    for name in wrong:
        print(f"exit_destructors: {name} runs as the process ends, and later calls may need what it destroys",
              file=sys.stderr)
    print(f"exit_destructors: {len(names)} functions: {'; '.join(names)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
