# SPDX-License-Identifier: Apache-2.0
from typing import Any

from jitune import Session

def map_reduce(text: str, /, *, axis: int | tuple[int, ...] | None = None, offsets: Any = None, keepdims: bool = False,
               out: dict[str, Any] | None = None, session: Session | None = None, **inputs: Any) -> Any: ...
