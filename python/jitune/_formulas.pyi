# SPDX-License-Identifier: Apache-2.0
from typing import Any, NoReturn

from jitune import Session

# No array has a place: NoReturn lets type checkers refuse it.
def map_reduce(text: str, /, *arrays: NoReturn, axis: int | tuple[int, ...] | None = None, offsets: Any = None,
               keepdims: bool = False, out: dict[str, Any] | None = None, session: Session | None = None,
               **inputs: Any) -> Any: ...
