#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""links.py SOURCE: links of README and docs lead to a file and a heading, named files exist, no line is too long; pages
that sources name exist; the glossary explains the words of the command's tables."""

import re
import sys
from pathlib import Path

from pages import pages

WIDTH = 120
# `src/tuning/search/search.cpp`, also without its ending; NAME and TARGET stand for the reader's own.
FILE = re.compile(r"`((?:src|tests|tuner_db|kernel_templates|articles|bench|examples|scripts|cmake|docs)/[\w./-]+)`")

# A page by its path from the root, not from the file that names it.
PAGE = re.compile(r"(?<![\w/.])docs/[\w/-]+\.md")
# Words that the command's tables use without explaining them.
WORDS_OF_TABLES = ("served", "gained", "speed-up", "disturbed", "provisional", "unsure", "bound", "held-out", "in doubt",
                   "pinned", "complete", "no code", "octave", "range", "budget", "candidate")
SOURCES = {".hpp", ".cpp", ".cu", ".h", ".py", ".cmake", ".txt", ".toml", ".sql", ""}


def without_code(text):
    """The text with fenced blocks emptied, so that line numbers stay."""
    return re.sub(r"^\s*```.*?^\s*```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S | re.M)


def anchor(heading):
    """As GitHub makes it of a heading."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def anchors(path):
    return {anchor(line.lstrip("#")) for line in without_code(path.read_text()).splitlines() if line.startswith("#")}


def faults(source, page):
    path = source / page
    text = path.read_text()
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH and not line.lstrip().startswith("<!--"):
            yield f"{page}:{number}: {len(line)} characters; break the line after at most {WIDTH}"
    for number, line in enumerate(without_code(text).splitlines(), 1):
        for name in FILE.findall(line):
            if not re.search("NAME|TARGET", name) and not (source / name).exists() and not list(source.glob(name + ".*")):
                yield f"{page}:{number}: there is no file {name}"
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"https?:", target):
                continue
            name, _, heading = target.partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.exists():
                yield f"{page}:{number}: the link {target} leads to no file"
            elif heading and heading not in anchors(file):
                yield f"{page}:{number}: the link {target} leads to no heading"


def faults_of_glossary(source):
    page = "docs/reference/glossary.md"
    terms = re.findall(r"^\| ([\w, -]+) \|", (source / page).read_text(), flags=re.M)
    known = {word for term in terms for word in term.split(", ")}
    for word in WORDS_OF_TABLES:
        if word not in known:
            yield f"{page}: the command's tables say \"{word}\", which is not explained"


def faults_of_sources(source):
    """Pages that comments name, as in `docs/reference/database.md`."""
    for folder in ("src", "tuner_db", "tests", "scripts", "cmake", "examples", "articles", "bench"):
        for path in sorted((source / folder).rglob("*")):
            if not path.is_file() or path.suffix not in SOURCES:
                continue
            for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
                for name in PAGE.findall(line):
                    if not (source / name).exists():
                        yield f"{path.relative_to(source)}:{number}: there is no page {name}"


def main():
    source = Path(sys.argv[1])
    found = [fault for page in pages(source) for fault in faults(source, page)]
    found += [*faults_of_sources(source), *faults_of_glossary(source)]
    print("\n".join(found) or f"{len(pages(source))} pages: every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
