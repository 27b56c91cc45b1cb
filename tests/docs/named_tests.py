# SPDX-License-Identifier: Apache-2.0
"""Checks that each test that a page names as `Suite.Name` exists. Argument: the source folder."""

import re
import sys
from pathlib import Path

import pages

source = Path(sys.argv[1])
tests = set()
for path in (source / "tests").rglob("*.cpp"):
    found = re.findall(r"^\s*TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)", path.read_text(), re.M)
    tests |= {f"{suite}.{name}" for suite, name in found}
for path in (source / "tests").rglob("CMakeLists.txt"):
    tests |= set(re.findall(r"add_test\(NAME (\w+\.\w+)", path.read_text()))

named = 0
missing = []
for page in pages.pages(source):
    for number, line in enumerate((source / page).read_text().splitlines(), 1):
        for test in re.findall(r"`([A-Z]\w*\.[A-Z]\w*)`", line):
            named += 1
            if test not in tests:
                missing.append(f"{page}:{number}: there is no test {test}")
print("\n".join(missing) or f"{named} tests are named, and all exist")
sys.exit(1 if missing or named == 0 else 0)
