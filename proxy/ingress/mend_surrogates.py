r"""Mends requests whose texts were cut within a character.

An agent in JavaScript that cuts a tool's output to a length may cut an emoji in two. The agent writes the remaining
half, a lone surrogate, as ``"\ud83d"``. This escape is valid JSON, but no valid text. Strict parsers in this proxy and
at providers refuse it ("no low surrogate"), in every further request of the conversation.
"""

from __future__ import annotations

import json
import re
from typing import Any

_LONE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def mend_surrogates(body: bytes, field: str) -> tuple[bytes, tuple[int, ...]] | None:
    """Return *body* with U+FFFD for each lone surrogate in the list *field*, and the indexes of the mended entries.

    *field* is ``messages`` or ``input``. A text in its place counts as one entry. Returns None where no entry holds a
    lone surrogate. Also returns None where a parameter holds one, since a changed parameter would be a guess. The
    caller passes a body that a strict parser has refused. For a body that is not JSON the result is None. Other faults
    are left in the result.
    """
    if not _LONE_SURROGATE.search(body):
        return None
    try:
        fields = json.loads(body.decode())
        if not isinstance(fields, dict):
            return None
        if _has_lone_surrogate({name: value for name, value in fields.items() if name != field}):
            return None
        given = fields.get(field)
        entries = given if isinstance(given, list) else [given]
        places = tuple(at for at, entry in enumerate(entries) if _has_lone_surrogate(entry))
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
