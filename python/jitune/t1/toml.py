# SPDX-License-Identifier: Apache-2.0
"""Texts of TOML within the comment of C++ that holds a template's front matter."""

import re


def toml_text(content):
    """A string with this content, in quotes. It does not end the comment."""
    text = re.sub(r'["\\]', r"\\\g<0>", content)
    text = re.sub("[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found.group()):04x}", text)
    return '"' + text.replace("*/", "*\\u002f") + '"'


def toml_list(contents):
    return "[" + ", ".join(map(toml_text, contents)) + "]"
