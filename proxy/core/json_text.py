"""Writes values as JSON and as server-sent events, and finds single values in a JSON body."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec
import orjson

EVENT_STREAM = "text/event-stream; charset=utf-8"
"""The ``Content-Type`` of server-sent events."""

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)")
"""An escape within a text: a surrogate pair, a lone surrogate, or any other escape."""

_TOP_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Finds the bounds of each top-level value without decoding it. orjson cannot do that."""


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


def encode_event(payload: Any, /) -> bytes:
    """Return *payload* as a server-sent event of one ``data:`` line."""
    return b"data: " + write_json(payload) + b"\n\n"


def find_value(body: bytes, name: str) -> bytes | None:
    """Return the bytes of the top-level value *name*, or None if it is missing or msgspec cannot read *body*."""
    try:
        return bytes(_TOP_LEVEL.decode(body)[name])
    except (msgspec.MsgspecError, RecursionError, KeyError):
        return None


def _without_nan(value: Any) -> Any:
    """Return *value* with null for NaN and infinity, which JSON cannot write. orjson does the same."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _without_nan(held) for key, held in value.items()}
    return list(map(_without_nan, value)) if isinstance(value, list | tuple) else value
