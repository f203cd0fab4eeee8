"""JSON as it goes out. Pure."""

from __future__ import annotations

import json
from typing import Any

import orjson


def write_json(value: Any) -> bytes:
    """Return *value* as JSON.

    A lone surrogate, which stays behind in a text when a provider cuts an escaped emoji in two, is written as the
    escape that it came as; orjson refuses it.
    """
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()
