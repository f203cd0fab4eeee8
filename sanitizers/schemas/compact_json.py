"""Compact JSON for descriptions."""

from __future__ import annotations

from typing import Any

import orjson


def as_json(value: Any) -> str:
    """Return *value* as compact JSON, or ``…`` where orjson cannot write it (a huge number, a lone surrogate)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (orjson.JSONEncodeError, RecursionError):
        return "…"
