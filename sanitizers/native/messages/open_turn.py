"""The model's open turn while its blocks are read: thinking, texts and calls in any order.

A chat message has one text and one list of calls. Where thinking stands between them, its ``thinking_blocks`` hold the
places of the texts and calls too (:mod:`sanitizers.native.messages.write_turn`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from sanitizers.merging import SEPARATOR
from sanitizers.messages import Message
from sanitizers.work_limit import metered

_RANKS = {"text": 1, "tool_use": 2}
"""The usual order of a turn: thinking, which has rank 0, then text, then calls."""


@dataclass(slots=True)
class OpenTurn:
    """One turn. It becomes one assistant message, or none where it holds thinking alone."""

    texts: list[Message] = field(default_factory=list)
    """The texts as parts of a message. None of them is empty."""

    calls: list[Message] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    """Thoughts that nobody signed for Claude, as texts."""

    signatures: dict[str, str] = field(default_factory=dict)
    """The signatures of calls of other models, by call id."""

    first: int = -1
    """The index of the first message of the turn, or -1 before there is one."""

    is_blank: bool = False
    """True where the turn has an empty text, or a message without blocks."""

    _order: list[Any] = field(default_factory=list)
    _has_thinking: bool = False
    _joins: bool = False  # true where the next text block goes on with the last one

    def say(self, text: str, mark: Any = None, *, is_block: bool = True) -> None:
        """Add a text with its cache mark. With *is_block*, it is a block of the model's own words.

        Blocks that follow one another are one text, which citations divide.
        """
        if not text:
            self.is_blank = True
            return
        if (
            self.texts
            and not (self._joins and is_block)
            and mark is None
            and "cache_control" not in self.texts[-1]
        ):
            self._lengthen(SEPARATOR)
        part = {"type": "text", "text": text}
        self.texts.append(part if mark is None else {**part, "cache_control": mark})
        self._order.append({"type": "text", "length": len(text)})
        self._joins = is_block

    def call(self, call: Message) -> None:
        """Add a call."""
        self.calls.append(call)
        self._order.append({"type": "tool_use", "id": call["id"]})
        self._joins = False

    def think(self, block: Message) -> None:
        """Add a block of Claude's thinking, as it came."""
        self._has_thinking = True
        self._order.append(block)
        self._joins = False

    def end_message(self) -> None:
        """End one of the turn's messages. A text of the next one is another text."""
        self._joins = False

    def message(self) -> Message | None:
        """Return the message of the turn, or None for a turn of thinking alone."""
        if not (self.texts or self.calls):
            return {"role": "assistant", "content": "", **self._thinking()} if self.is_blank else None
        message: Message = {"role": "assistant", "content": self._content()}
        if self.thoughts:
            message["reasoning_content"] = SEPARATOR.join(self.thoughts)
        message |= self._thinking()
        if self.calls:
            message["tool_calls"] = self._signed_calls() if self.signatures else self.calls
        return message

    def _lengthen(self, separator: str) -> None:
        """Add *separator* to the last text."""
        last = self.texts[-1]
        self.texts[-1] = {**last, "text": last["text"] + separator}
        entry = next(entry for entry in reversed(self._order) if entry.get("type") == "text")
        entry["length"] += len(separator)

    def _content(self) -> Any:
        if not self.texts:
            return None
        if any("cache_control" in part for part in metered(self.texts)):
            return self.texts
        return "".join(part["text"] for part in metered(self.texts))

    def _thinking(self) -> Message:
        """Return the thinking of the turn, with places where it is not in the usual order."""
        if not self._has_thinking:
            return {}
        ranks = [_RANKS.get(entry["type"], 0) for entry in metered(self._order)]
        if all(before <= after for before, after in pairwise(ranks)):
            return {"thinking_blocks": [entry for entry in self._order if entry["type"] not in _RANKS]}
        return {"thinking_blocks": self._order}

    def _signed_calls(self) -> list[Message]:
        return [
            {**call, "extra_content": {"google": {"thought_signature": signature}}}
            if (signature := self.signatures.get(call["id"]))
            else call
            for call in metered(self.calls)
        ]
