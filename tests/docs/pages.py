# SPDX-License-Identifier: Apache-2.0
"""The Markdown pages of the project and the fenced blocks in them.

A block may have a marker in an HTML comment before it, which readers do not see:

    <!-- snippet: skip=REASON -->           the block is not run; options of jitune commands are still checked
    <!-- snippet: prologue=PARAMETERS -->   a C or C++ fragment: the body of a function with these parameters
    <!-- snippet: prints=TEXT -->           a program that prints TEXT
    <!-- snippet: output -->                what the program before prints
    <!-- snippet: cuda -->                  CUDA code that compiles by itself
    <!-- snippet: compiles=HEADER -->       a program that needs HEADER, and cannot run everywhere
    <!-- snippet: file=NAME -->             a kernel template that later programs of the page read by this name
    <!-- snippet: shell-functions=NAME/N --> SQL functions of the sqlite3 shell with N arguments
"""

import re
from dataclasses import dataclass
from pathlib import Path

MARKERS = {"skip", "prologue", "prints", "output", "cuda", "compiles", "file", "shell-functions"}


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    marker: str = ""
    value: str = ""

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def pages(source: Path):
    """Paths relative to `source`, in order."""
    found = [path for path in source.glob("*.md")] + list((source / "docs").rglob("*.md"))
    return sorted(str(path.relative_to(source)) for path in found)


def blocks(source: Path, page: str):
    """The fenced blocks of one page. Raises ValueError for a marker that is not known."""
    result, comment, open_block = [], None, None
    for number, line in enumerate((source / page).read_text().splitlines(), 1):
        fence = re.match(r"\s*```(\S*)\s*$", line)
        if open_block is not None:
            if fence:
                result.append(open_block)
                open_block = None
            else:
                open_block.text += line[indent:] + "\n"
        elif fence:
            indent = len(line) - len(line.lstrip())
            marker, _, value = (comment or "").partition("=")
            if marker and marker not in MARKERS:
                raise ValueError(f"{page}:{number}: unknown marker \"{marker}\"; there are {sorted(MARKERS)}")
            open_block = Block(page, number, fence[1], "", marker, value)
            comment = None
        elif line.strip():
            found = re.match(r"\s*<!-- snippet: (.*?) -->$", line)
            comment = found[1] if found else None
    return result
