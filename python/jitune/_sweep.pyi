# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any

from jitune import Session

_Progress = Callable[[str], object]

def sweep(kernel: str, progress: _Progress | None = None, *, session: Session | None = None,
          **options: Any) -> dict[str, Any]: ...
def tune(file: str | PathLike[str], progress: _Progress | None = None, *, size: Mapping[str, int] | None = None,
         type: Mapping[str, str] | None = None, session: Session | None = None, **options: Any) -> dict[str, Any]: ...
