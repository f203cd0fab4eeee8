"""Collects the order of an answer's blocks: its thoughts, and the places of its texts and calls.

A chat message has one text and one list of calls, which lose this order. Claude wants the thoughts of an open turn back
where they stood (:mod:`sanitizers.native.messages.write_turn`).
"""

from __future__ import annotations

from typing import Any


class Layout:
    """The entries of ``thinking_blocks`` with places, in the order of the answer's blocks, and the answer's text."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self.has_thoughts = False

    def add_thought(self, block: dict[str, Any]) -> None:
        """Add a block of thinking as it came."""
        self.has_thoughts = True
        self.entries.append(block)

    def add_text(self, text: str) -> None:
        """Add the place of *text*."""
        self._texts.append(text)
        self.entries.append({"type": "text", "length": len(text)})

    def add_call(self, call_id: str) -> None:
        """Add a call by the provider's id."""
        self.entries.append({"type": "tool_use", "id": call_id})

    def as_value(self) -> dict[str, Any]:
        """Return the value under ``THINKING_LAYOUT``. An answer without thoughts has no entries."""
        return {"entries": self.entries if self.has_thoughts else [], "text": "".join(self._texts)}
