"""Replaces media in an answer, for which the proxy has no place, by a line of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def note_of_media(part: Mapping[str, Any]) -> str | None:
    """Return a line for the client in place of the media in *part*, or None if it holds no media.

    No media is asked for (:mod:`proxy.upstream.wires.gemini.settings`). Some models still return it, with a text that
    refers to it.
    """
    media = part.get("inlineData")
    if media is None:
        media = part.get("fileData")
    if media is None:
        return None
    kind = media.get("mimeType") if isinstance(media, Mapping) else None
    named = kind.lower() if isinstance(kind, str) else ""
    what = "An image" if named.startswith("image/") else "Audio" if named.startswith("audio/") else "A file"
    return f"\n[{what} that the model returned cannot be carried.]\n"
