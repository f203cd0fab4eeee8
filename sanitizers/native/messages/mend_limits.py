"""Drop cache marks and media of a native message, the oldest first, where a request has more than Anthropic takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sanitizers.native.messages.changed_messages import blocks_of
from sanitizers.native.messages.violations import MARK, media_in
from sanitizers.native.protocol import Item
from sanitizers.synthetic import left_out
from sanitizers.work_limit import metered

_PARTS = {"document": "file", "image": "image_url"}
"""The chat part of each kind of media, for the text that stands for it."""


def drop_marks(item: Item, most: int) -> Item:
    """Return *item* without its first *most* cache marks."""
    return _replace_first(item, most, lambda block: block.get(MARK) is not None, _without_mark)


def drop_media(item: Item, most: int) -> Item:
    """Return *item* with a text in place of each of its first *most* images and documents."""
    return _replace_first(item, most, lambda block: block.get("type") in _PARTS, _note)


def drop_media_at(item: Item, number: int) -> Item:
    """Return *item* with a text in place of the image or document at *number*, or of all in the result there.

    *item* itself is returned where none is there.
    """
    blocks = blocks_of(item)
    block = blocks[number] if number < len(blocks) else {}
    if not media_in([block]):
        return item
    [made] = drop_media({"content": [block]}, media_in([block]))["content"]
    return {**item, "content": [*blocks[:number], made, *blocks[number + 1 :]]}


def without_marks(blocks: list[Any], most: int) -> list[Any]:
    """Return *blocks*, tools or parts of ``system``, without their first *most* cache marks."""
    left = most
    made: list[Any] = []
    for block in metered(blocks):
        if left > 0 and isinstance(block, dict) and block.get(MARK) is not None:
            left -= 1
            made.append(_without_mark(block))
        else:
            made.append(block)
    return made


def _replace_first(item: Item, most: int, fits: Callable[[Item], bool], make: Callable[[Item], Item]) -> Item:
    left = most
    blocks: list[Any] = []
    for block in metered(blocks_of(item)):
        made = block
        inner = block.get("content") if block.get("type") == "tool_result" else None
        if isinstance(inner, list):
            parts: list[Any] = []
            for part in metered(inner):
                replaces = left > 0 and isinstance(part, dict) and fits(part)
                left -= replaces
                parts.append(make(part) if replaces else part)
            made = {**block, "content": parts}
        if left > 0 and fits(block):
            left -= 1
            made = make(made)
        blocks.append(made)
    return {**item, "content": blocks}


def _without_mark(block: Item) -> Item:
    return {name: value for name, value in block.items() if name != MARK}


def _note(block: Item) -> Item:
    note: Item = {"type": "text", "text": left_out(_PARTS[block["type"]])}
    return note if block.get(MARK) is None else {**note, MARK: block[MARK]}
