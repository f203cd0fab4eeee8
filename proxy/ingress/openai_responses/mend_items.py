r"""Mends requests whose items were cut within a character.

An agent in JavaScript that cuts a tool's output to a length may cut an emoji in two. The remaining half, a lone
surrogate such as ``"\ud83d"``, is valid JSON and no valid text. Strict parsers refuse it in every further request.
"""

from __future__ import annotations

import json
import re
from typing import Any

_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def mend_items(body: bytes) -> tuple[bytes, tuple[int, ...]] | None:
    """Return *body* with U+FFFD for each lone surrogate in its ``input``, and the indexes of these items.

    Returns None where no item holds a lone surrogate, and where another field holds one, since a changed parameter
    would be a guess. The caller passes a body that a strict parser has refused.
    """
    if not _LONE_SURROGATE.search(body):
        return None
    try:
        fields = json.loads(body.decode())
        if not isinstance(fields, dict):
            return None
        given = fields.get("input")
        items = given if isinstance(given, list) else [given]
        if _has_lone_surrogate({name: value for name, value in fields.items() if name != "input"}):
            return None
        places = tuple(at for at, item in enumerate(items) if _has_lone_surrogate(item))
        if not places:
            return None
        text = json.dumps(fields, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(), places


def _has_lone_surrogate(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
