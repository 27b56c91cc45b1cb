# SPDX-License-Identifier: Apache-2.0
"""The tuning database as lists of dicts, ready for pandas.DataFrame."""

import json

from jitune import _jitune
from jitune._sweep import _words


def winners(session=None):
    """A dict for each stored winner: `jitune db list --json`. Raises jitune.StoreError where there is no database yet."""
    return json.loads(_jitune.command(["db", "list"], session=session))["winners"]


def explain(n, session=None, **problem):
    """Which winner would serve a problem, and why no other does: `jitune db explain -n N ...`. Raises jitune.Error."""
    sizes = "x".join(map(str, n)) if isinstance(n, (list, tuple)) else str(n)
    return json.loads(_jitune.command(["db", "explain", "-n", sizes, *_words(problem)], session=session))


def stats(session=None):
    """What calls have recorded: `jitune stats --json`. Raises jitune.Error."""
    return json.loads(_jitune.command(["stats"], session=session))
