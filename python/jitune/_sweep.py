# SPDX-License-Identifier: Apache-2.0
"""Tuning ahead of calls."""

import json
import os

from jitune import _jitune


# The command's names of operations.
_OPERATIONS = {"prod": "product", "argmin": "arg_min", "argmax": "arg_max"}


def _words(options):
    """budget=2, sizes="2^10..2^20" as --budget 2 --sizes 2^10..2^20; operations by NumPy's names, too."""
    words = []
    for name, value in options.items():
        if name in ("op", "ops") and value is not None:
            names = value.split(",") if isinstance(value, str) else value
            value = [_OPERATIONS.get(one, one) for one in names]
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            words += [flag, ",".join(map(str, value))]
        elif value is not None and value is not False:
            words += [flag, str(value)]
    return words


def sweep(kernel, progress=None, *, session=None, **options):
    """Tunes many problems ahead of time, in a process of its own: `jitune sweep KERNEL --OPTION VALUE ...`.

    kernel: "reduce", "stencil", "entropy" or "worklist". Options are those of the command, as in sizes="2^10..2^20",
    types="float32", budget=2. progress: a function of a line of text, called about twice a second; if it returns true,
    or at Ctrl-C, the sweep ends, and what it has measured is kept. Of the session it has the database, worker, frozen and
    hang_limit. Returns the command's document as a dict. Raises jitune.Error.
    """
    return json.loads(_jitune.command(["sweep", kernel, *_words(options)], progress, session=session))


def tune(file, progress=None, *, size=None, type=None, session=None, **options):
    """Tunes a kernel of your own for the sizes that are given: `jitune tune FILE --size NAME=SIZE ...`.

    size: a dict, as in {"m": 1024}; type: a dict of type parameters. The rest as in sweep().
    """
    words = ["tune", os.fsdecode(file)]
    for name, value in (size or {}).items():
        words += ["--size", f"{name}={value}"]
    for name, value in (type or {}).items():
        words += ["--type", f"{name}={value}"]
    return json.loads(_jitune.command(words + _words(options), progress, session=session))
