"""Sizes for tests: four characters a token, whatever the text."""

from __future__ import annotations

import json
from typing import Any

from sanitizers.budget import CutPolicy, Marks, Size


def size(message: dict[str, Any]) -> int:
    """Return a quarter of the message's JSON characters."""
    return len(json.dumps(message, ensure_ascii=False)) // 4 + 1


def quick_size(message: dict[str, Any]) -> int:
    """Return about a quarter of the message's characters, read without writing JSON: for many or large messages."""
    content = message.get("content")
    calls = message.get("tool_calls") or ()
    if isinstance(content, list):
        characters = sum(len(part.get("text") or "") + 20 for part in content)
    else:
        characters = len(content or "")
    return 10 + characters // 4 + 20 * len(calls)


def marks(high: int, low: int | None = None, hard: int | None = None) -> Marks:
    """Return marks for turns of *high* tokens. By default cut to half, and refused a tenth above."""
    return Marks(high, high, high // 2 if low is None else low, high * 11 // 10 if hard is None else hard)


def total(messages: list[dict[str, Any]], size: Size = size) -> int:
    """Return the sum of the sizes."""
    return sum(map(size, messages))


BALANCED = CutPolicy("balanced")
