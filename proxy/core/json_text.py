"""Writes values as JSON."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import orjson

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")
"""An escape within a text: a surrogate pair, a lone surrogate, or any other escape."""


def write_json(value: Any) -> bytes:
    """Return *value* as JSON.

    A lone surrogate is written as U+FFFD, since orjson and UTF-8 readers refuse it. Such a surrogate is left over when
    a provider cuts an escaped emoji in two (:mod:`proxy.answers.join_surrogates`).
    """
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        text = json.dumps(_without_nan(value), separators=(",", ":"), allow_nan=False).encode()
        return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], text)


def _without_nan(value: Any) -> Any:
    """Return *value* with null for NaN and infinity, which JSON cannot write. orjson does the same."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(held) for key, held in value.items()}
    return list(map(_without_nan, value)) if isinstance(value, list | tuple) else value
