"""JSON as it is told in words."""

from __future__ import annotations

from typing import Any

import orjson


def as_json(value: Any) -> str:
    """Return *value* as compact JSON; ``…`` for what cannot be written (a number of thirty digits, half an emoji)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (orjson.JSONEncodeError, RecursionError):
        return "…"
