# SPDX-License-Identifier: Apache-2.0
"""python3 -m jitune.t1 FILE: prints a kernel template of a tuning problem in T1."""

import argparse
import json
import os
import signal
import sys

from . import template_of
from .document import Refusal, read_document, shown, within

EXIT_USAGE = 2
MOST_SECONDS = 330  # then this process ends, whatever became of the command
PR_SET_PDEATHSIG = 1  # of Linux


def end_with_parent():
    """Has the system end this process when the command ends, as by Ctrl-C; else MOST_SECONDS do."""
    signal.alarm(MOST_SECONDS)
    try:
        import ctypes  # not every Python has it

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (AttributeError, ImportError, OSError):
        pass


def read_template(path, name):
    """The template, and the folder in which its kernel is named."""
    document = read_document(path, name)
    folder = os.path.join(".", os.path.dirname(name))
    with within(f"{name}: T1 tuning problem"):
        try:
            template = template_of(document, folder)
        except RecursionError:
            raise Refusal("its lists are nested too deep") from None
        if shown(template.header) != template.header:
            raise Refusal("the name of its folder or a text is not UTF-8: rename it")
        return template, folder


def answer_of(path, name):
    """For the command, which reads the kernel's code itself."""
    try:
        template, _ = read_template(path, name)
    except Refusal as refusal:
        return {"error": shown(str(refusal))}
    return {
        "header": template.header,
        "kernel": shown(template.kernel),
        "notes": list(map(shown, template.notes)),
    }


def print_template(path):
    template, folder = read_template(path, path)
    try:
        with open(os.path.join(folder, template.kernel), "rb") as file:
            code = file.read()
    except (OSError, ValueError) as error:
        raise Refusal(f'{path}: T1 tuning problem: cannot read "{template.kernel}": {error}') from None
    for note in template.notes:
        print(shown(f"{path}: {note}"), file=sys.stderr)
    sys.stdout.buffer.write(template.header.encode() + code)


def main(words=None, answer=answer_of):
    """`answer` makes the answer to the command of a file and its name."""
    parser = argparse.ArgumentParser(prog="python3 -m jitune.t1", description=__doc__)
    parser.add_argument("file", metavar="FILE", help="the problem, JSON, plain or gzip")
    parser.add_argument("--name", help=argparse.SUPPRESS)  # the command's: its own name of the file,
    parser.add_argument("--answer", help=argparse.SUPPRESS)  # and the file for the answer
    given = parser.parse_args(words)
    if given.answer is not None:
        end_with_parent()
        with open(given.answer, "w", encoding="utf-8") as file:
            file.write(json.dumps(answer(given.file, given.name)))  # dump() is three times as slow
        return 0
    try:
        print_template(given.file)
    except Refusal as refusal:
        print(shown(str(refusal)), file=sys.stderr)
        return EXIT_USAGE
    return 0


if __name__ == "__main__":
    sys.exit(main())
