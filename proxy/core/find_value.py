"""One value of a JSON object, as the bytes that it is written in."""

from __future__ import annotations

import msgspec


def find_value(body: bytes, name: str) -> bytes | None:
    """Return the bytes of one top-level value; None where msgspec, which reads *body* again, sees it otherwise."""
    try:
        return bytes(_TOP_LEVEL.decode(body)[name])
    except (msgspec.MsgspecError, RecursionError, KeyError):
        return None


_TOP_LEVEL = msgspec.json.Decoder(dict[str, msgspec.Raw])
"""Finds where each top-level value begins and ends without decoding it; orjson has no such view."""
