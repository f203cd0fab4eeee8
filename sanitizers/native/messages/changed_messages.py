"""Messages of Anthropic's API after changes, with the places that they had before."""

from __future__ import annotations

from operator import is_
from typing import Any

from sanitizers.changes import Change
from sanitizers.native.protocol import Item, Items
from sanitizers.record import record

STEP = "item_repair"
"""The step's name of the changes that are made to native messages alone. Their indexes are those of the client's."""

THINKING = frozenset({"redacted_thinking", "thinking"})
"""Types of the blocks that Claude signs or hides. Their content is never edited."""


@record
class ChangedMessages:
    """Messages after changes. Without any, *items* is the very list that was given, and *origins* is None.

    *changes* are those that no chat message shows, with the indexes of the messages that were given. *origins* has the
    same index for each message, or that of a neighbour. *system* replaces the field, or is None where it stays.
    """

    items: Items
    changes: tuple[Change, ...] = ()
    origins: tuple[int, ...] | None = None
    system: list[Item] | None = None
    drops_thinking: bool = False
    """True where the messages have no thinking, so that the request must ask for none."""

    def origin_of(self, index: int) -> int:
        """Return the index that the message at *index* had before."""
        return index if self.origins is None else self.origins[index]


def blocks_of(item: Item) -> list[Any]:
    """Return the content of *item* as blocks. A text is one block, and no content has none."""
    content = item.get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def with_blocks(item: Item, blocks: list[Any]) -> Item:
    """Return *item* with *blocks*, or *item* itself where it has these very blocks."""
    content = item.get("content")
    same = isinstance(content, list) and len(content) == len(blocks) and all(map(is_, blocks, content))
    return item if same else {**item, "content": blocks}
