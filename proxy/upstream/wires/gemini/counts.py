"""Reads whole numbers as proto JSON writes them."""

from __future__ import annotations

from typing import Any

_LARGEST = 2**31 - 1
"""The largest count: every count on this wire is an int32."""


def read_count(value: Any) -> int | None:
    """Return the count in *value*, or None if it is no count.

    In proto JSON ``5``, ``5.0`` and ``"5"`` are one number (protobuf.dev/programming-guides/json). A boolean is not a
    number.
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
