#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the C functions that a shared jitune exports with the list that is kept, and ends with 1 if they differ, or
if it exports anything else than these and names of the C++ interface.

    exported_names.py LIBRARY LIST [--write]

--write writes the list. A function that goes, or changes its version, breaks programs that are linked already.
"""
import re
import subprocess
import sys

CXX = re.compile(r"(typeinfo (name )?for |vtable for )?jitune::v\d+_\d+::")


def exported(library):
    lines = subprocess.run(["nm", "--dynamic", "--defined-only", "--demangle", "--with-symbol-versions", library],
                           check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    symbols = (line.split(" ", 2) for line in lines)
    return {name for _, kind, name in symbols if kind != "A"}  # A: the version itself


def main():
    library, path = sys.argv[1:3]
    found = {name for name in exported(library) if not CXX.match(name)}
    if "--write" in sys.argv[3:]:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(sorted(found)) + "\n")
        return 0
    with open(path, encoding="utf-8") as file:
        kept = set(file.read().split())
    for name in sorted(kept - found):
        print(f"no longer exported: {name}")
    for name in sorted(found - kept):
        print(f"not in {path}: {name}")
    return 1 if found != kept else 0


if __name__ == "__main__":
    sys.exit(main())
