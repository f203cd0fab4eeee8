"""Finds the block of the client's that a part of a chat message was read from.

Claude Code removes the image or the document that a path ``messages.N.content.M.image`` names, and asks again
(2.1.197, 2026-11). It ends the session where an error names the message alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from sanitizers.errors import Unrepairable
from sanitizers.native.messages.read_parts import ReadParts, read_block

_MEDIA = ("document", "image")


def find_block(content: Any, message: int, part: int | None) -> str:
    """Return the path of a block behind the path of its message, such as ``.content.2.image``, or an empty text.

    *content* is that of the client's message. *message* counts the chat messages that it became: one for each result,
    then one with all other parts. *part* is the index of a part of the latter.
    """
    if not isinstance(content, list):
        return ""
    results = [at for at, block in enumerate(content) if _type_of(block) == "tool_result"]
    if message < len(results):
        return f".content.{results[message]}"
    if part is None:
        return ""
    return next(islice(_paths_of(content, set(results)), part, None), "")


def _paths_of(content: Sequence[Any], results: set[int]) -> Iterator[str]:
    """Yield the path of the block of each part."""
    for at, block in enumerate(content):
        if at in results:
            continue
        try:
            parts = read_block(block, "", ReadParts([], []))
        except Unrepairable:
            return
        kind = _type_of(block)
        path = f".content.{at}.{kind}" if kind in _MEDIA else f".content.{at}"
        yield from [path] * len(parts)


def _type_of(block: Any) -> Any:
    return block.get("type") if isinstance(block, dict) else None
