"""Write a changed turn of the model with the blocks that stay: Claude's thinking, and all that did not change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sanitizers.merging import join_contents
from sanitizers.messages import Message, tool_calls_of
from sanitizers.native.messages.changed_messages import THINKING
from sanitizers.native.messages.write_blocks import content_blocks
from sanitizers.native.messages.write_turn import turn_blocks, write_call
from sanitizers.native.protocol import Item
from sanitizers.work_limit import metered


def rewrite_turn(message: Message, before: Sequence[Message], blocks: Sequence[Item]) -> list[Item]:
    """Return the blocks of *message*, a changed turn that was made of the messages *before*, read from *blocks*.

    Each block stays in its place where the message still has its thinking, text or call. A text that has changed
    stands in the place of the first text. Added calls come last.
    """
    if not before:
        return turn_blocks(message)
    calls = _Calls(message, before)
    content = message.get("content")
    keeps_text = content == join_contents([one.get("content") for one in before])
    keeps_thoughts = bool(message.get("thinking_blocks")) or not any(
        one.get("thinking_blocks") for one in before
    )
    texts = [] if keeps_text else content_blocks(content)
    written: list[Item] = []
    for block in metered(blocks):
        kind = block.get("type")
        if kind in THINKING:
            if keeps_thoughts:
                written.append(block)
        elif kind == "tool_use":
            if (call := calls.next(block)) is not None:
                written.append(call)
        elif keeps_text:
            written.append(block)
        else:
            written += texts
            texts = []
    if texts:
        first_call = next((at for at, block in enumerate(written) if block.get("type") == "tool_use"), None)
        at = len(written) if first_call is None else first_call
        written[at:at] = texts
    return written + calls.left()


class _Calls:
    """The calls of a changed message, each with the call that it was before."""

    def __init__(self, message: Message, before: Sequence[Message]) -> None:
        self._calls = tool_calls_of(message)
        self._before = [call for one in before for call in tool_calls_of(one)]
        self._read = 0
        self._taken: set[int] = set()
        same = {id(call): at for at, call in enumerate(self._calls)}
        by_id = {call.get("id"): at for at, call in reversed([*enumerate(self._calls)])}
        in_step = len(self._calls) == len(self._before)
        self._places = [
            same.get(id(call), at if in_step else by_id.get(call.get("id")))
            for at, call in enumerate(self._before)
        ]

    def next(self, block: Item) -> Item | None:
        """Return what stands for *block*, the next call of the turn, or None where its call is gone."""
        at, self._read = self._read, self._read + 1
        place = self._places[at]
        if place is None or place in self._taken:
            return None
        self._taken.add(place)
        old, new = self._before[at], self._calls[place]
        if old is new or _says(old) == _says(new):
            return block
        written = write_call(new)
        if _says(old)[1:] == _says(new)[1:]:
            return {**block, "id": written["id"]}
        return {**block, **written}

    def left(self) -> list[Item]:
        """Return the calls that no block was written for."""
        return [write_call(call) for at, call in enumerate(self._calls) if at not in self._taken]


def _says(call: Message) -> tuple[Any, Any, Any]:
    function = call.get("function") or {}
    return call.get("id"), function.get("name"), function.get("arguments")
