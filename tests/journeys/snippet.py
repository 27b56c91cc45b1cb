#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a snippet of README or docs to a file: snippet.py SOURCE PAGE TEXT FILE takes the first that has TEXT in it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs"))
from pages import blocks  # noqa: E402


def snippet(source, page, text):
    found = [block.text for block in blocks(Path(source), page) if text in block.text]
    if not found:
        raise SystemExit(f"{page} has no snippet with \"{text}\"")
    return found[0]


if __name__ == "__main__":
    Path(sys.argv[4]).write_text(snippet(*sys.argv[1:4]))
