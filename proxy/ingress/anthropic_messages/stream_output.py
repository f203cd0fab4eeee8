"""Encodes the events of one stream, and gives its blocks their indexes: 0, 1, 2 without gaps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json


def write_event(kind: str, fields: Mapping[str, Any]) -> bytes:
    """Return an event of the type *kind* with *fields*. The line ``event:`` repeats the type."""
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), write_json({"type": kind, **fields}))


def write_block_start(index: int, block: Mapping[str, Any]) -> bytes:
    """Return the event that begins the block at *index*."""
    return write_event("content_block_start", {"index": index, "content_block": block})


def write_delta(index: int, kind: str, field: str, text: str) -> bytes:
    """Return the event that adds *text* to the block at *index*. *field* is the name of the text in the delta."""
    return write_event("content_block_delta", {"index": index, "delta": {"type": kind, field: text}})


def write_block_stop(index: int) -> bytes:
    """Return the event that ends the block at *index*."""
    return write_event("content_block_stop", {"index": index})


class StreamOutput:
    """Counts the blocks of one stream. Only one block is open at a time."""

    def __init__(self) -> None:
        self.blocks = 0
        """The number of blocks that have begun."""

        self.said = 0
        """The number of characters in texts, thoughts and inputs so far."""

        self.has_calls = False
        """True once a call has begun."""

    def next_index(self) -> int:
        """Return the index of a new block."""
        index = self.blocks
        self.blocks += 1
        return index
