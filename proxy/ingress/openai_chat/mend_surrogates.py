r"""Requests whose texts were cut within a character: mended, since the conversation would be lost over them. Pure.

An agent in JavaScript that cuts a tool's output to a length may cut an emoji in two, and writes what is left as
``"\ud83d"``. That is JSON, but no text: strict parsers refuse it, ours and the providers' ("no low surrogate"), in
every further request of the conversation.
"""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def mend_surrogates(body: bytes) -> tuple[bytes, tuple[int, ...]] | None:
    """Return *body*, with U+FFFD for each half of a character in its messages, and the places of these messages.

    None where there is none, or one elsewhere: a parameter is not a text to be read, and to change one is to guess.
    For what a strict parser refused; all else that is wrong with it is so in what is returned.
    """
    if not _HALF.search(body):
        return None
    try:
        fields = json.loads(body.decode())
        if not isinstance(fields, dict) or not isinstance(messages := fields.get("messages"), list):
            return None
        if _holds_half({name: value for name, value in fields.items() if name != "messages"}):
            return None
        places = tuple(at for at, message in enumerate(messages) if _holds_half(message))
        if not places:
            return None
        text = json.dumps(fields, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode(), places


def _holds_half(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
