"""Strategies for histories with media in user messages and tool results: valid, malformed, unreadable, remote."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from hypothesis import strategies as st

from tests.support.builders import text
from tests.support.strategies.legal import History, legal_histories

_HEADS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a", b"RIFF....WEBP", b"%PDF-1.7", b"")
_TYPES = (
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "application/pdf",
    "IMAGE/JPG",
    "png",
    "image/bmp",
    "",
)
_FORMS = (
    "data:{kind};base64,{data}",
    "data:{kind};base64,{data}",
    "DATA:{kind};charset=x;BASE64,{data}",
    "data:{kind};base64,{bare}",
    "data:{kind};base64,!{data}",
    "data:{kind};base64",
    "https://example.com/{number}.png",
    "gs://bucket/{number}.png",
)

_plans = st.tuples(
    st.integers(0, 2),  # what kind of part
    st.integers(0, len(_HEADS) - 1),
    st.integers(0, len(_TYPES) - 1),
    st.integers(0, len(_FORMS) - 1),
)


def mark_of(number: int) -> str:
    """Return the base64 text that marks the medium *number*, since no other medium's data contains this text."""
    return b64encode(f"mark{number:05d}".encode()).decode()  # 9 bytes: no padding, and on a border of three


def media_part(number: int, kind: int, head: int, mime: int, form: int) -> dict[str, Any]:
    """Return a media part. If the part has base64 data, the data contains :func:`mark_of` *number*."""
    start = _HEADS[head]
    data = b64encode(start + bytes(-len(start) % 3)).decode() + mark_of(number) + "AA=="
    given = {"kind": _TYPES[mime], "data": data, "bare": data.rstrip("="), "number": number}
    url = _FORMS[form].format(**given)
    if kind == 0:
        return {"type": "image_url", "image_url": {"url": url}}
    if kind == 1:
        return {"type": "file", "file": {"file_data": url, "filename": "a"}}
    return {
        "type": "input_audio",
        "input_audio": {"data": given["bare" if form % 2 else "data"], "format": "wav"},
    }


@st.composite
def media_histories(draw: st.DrawFn, *, asked: bool = True) -> History:
    """Draw a legal history with media. *asked* allows media in the newest user message as well."""
    history = draw(legal_histories(media=False, extras=False, reuse_ids=False, min_steps=1, max_rounds=3))
    last = max(at for at, message in enumerate(history) if message["role"] == "user")
    places = [
        at
        for at, message in enumerate(history)
        if message["role"] == "tool" or (message["role"] == "user" and (asked or at != last))
    ]
    number = 0
    for at in places:
        plans = draw(st.lists(_plans, max_size=2))
        if plans:
            content = history[at]["content"]
            parts = [text(content)] if isinstance(content, str) else list(content)
            for plan in plans:
                parts.append(media_part(number, *plan))
                number += 1
            history[at] = {**history[at], "content": parts}
    return history
