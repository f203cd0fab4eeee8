"""Writes the place of a fault in a request as a path, from the ``loc`` of a pydantic error."""

from __future__ import annotations

import re
from typing import Any

_MAX_PIECES = 12
_PIECE = re.compile(r"[A-Za-z0-9_-]{1,64}")


def place_of(loc: Any) -> str:
    """Return *loc*, a list of names and indexes, as a path such as ``body.messages.0.name``.

    The path ends before the first piece that is no simple name, since such a piece may be a text of the client. The
    path is empty where *loc* is no list or its first piece is no name.
    """
    pieces: list[str] = []
    for piece in loc[:_MAX_PIECES] if isinstance(loc, list) else ():
        text = str(piece) if type(piece) in (int, str) else ""
        if _PIECE.fullmatch(text) is None:
            break
        pieces.append(text)
    return ".".join(pieces)
