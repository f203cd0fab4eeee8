"""Whole numbers as proto JSON writes them."""

from __future__ import annotations

from typing import Any

_LARGEST = 2**31 - 1
"""Every count on this wire is an int32."""


def read_count(value: Any) -> int | None:
    """Return the count in *value*, or None when it is none.

    ``5``, ``5.0`` and ``"5"`` are one number there (protobuf.dev/programming-guides/json); a flag is no number.
    """
    if value is None:
        return None
    if type(value) is int:
        return value if 0 <= value <= _LARGEST else None
    if isinstance(value, str) and len(value) <= len(str(_LARGEST)) and value.isascii() and value.isdecimal():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= _LARGEST and value == int(value) else None
