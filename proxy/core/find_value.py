"""One value of a JSON object, as the bytes in which it is written."""

from __future__ import annotations

import msgspec


def find_value(body: bytes, name: str) -> bytes | None:
    """Return the bytes of a top-level value, or None if msgspec cannot read *body* or finds no such name."""
    try:
        return bytes(_TOP_LEVEL.decode(body)[name])
    except (msgspec.MsgspecError, RecursionError, KeyError):
        return None


_TOP_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Finds the bounds of each top-level value without decoding it. orjson has no such view."""
