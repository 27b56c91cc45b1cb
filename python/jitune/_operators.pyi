# SPDX-License-Identifier: Apache-2.0
from typing import Any

NAMES: tuple[str, ...]

def reduce(name: str, x: Any, axis: int | tuple[int, ...] | None, dtype: Any, keepdims: bool, session: Any) -> Any: ...
