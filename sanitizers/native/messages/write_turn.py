"""Write an assistant message as blocks: thinking, text and calls, in the order that its places give.

Claude checks that the thinking of an open turn comes back unchanged and in its place ("`thinking` or
`redacted_thinking` blocks in the latest assistant message cannot be modified", claude-code#19539). A chat message has
one text and one list of calls, so its ``thinking_blocks`` may hold places between the blocks:

    {"type": "text", "length": 12}          the next 12 characters of the message's text
    {"type": "tool_use", "id": "call_1"}    the call with this id
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from sanitizers.messages import Message, parse_arguments, tool_calls_of
from sanitizers.native.messages.write_blocks import MARK, NO_ORIGINALS, Originals, is_said, mark_last
from sanitizers.native.protocol import Item
from sanitizers.synthetic import RAW_ARGUMENTS
from sanitizers.work_limit import metered

THINKING = frozenset({"redacted_thinking", "thinking"})

_SHORT = 65_536
"""Characters of arguments that are decoded without a check of their density (:func:`.messages.parse_arguments`)."""

_Piece = tuple[str, Any, Any]
"""A part of the text, with its cache mark and its native block. The mark and the block are mostly None."""


def turn_blocks(message: Message, originals: Originals = NO_ORIGINALS, *, signs: bool = True) -> list[Item]:
    """Return the blocks of an assistant message.

    Without places the order is thinking, text, calls: text behind a call was seen to be refused (claude-code#473). The
    same order is used where the places do not agree with the text and the calls. Calls and parts of *originals* are
    written as their native blocks. A model that does not sign its thoughts (*signs*) gets them without a signature.
    """
    thoughts = message.get("thinking_blocks")
    calls = tool_calls_of(message)
    content = message.get("content")
    if not thoughts:
        if not calls and content.__class__ is str and MARK not in message:  # nearly every message of a chat
            return [{"type": "text", "text": content}] if is_said(content) else []
        thoughts = ()
    pieces = [*_text_pieces(content, originals)]
    blocks: list[Item] | None = None
    if _has_places(thoughts):
        blocks = _Placer(pieces, calls, originals, signs=signs).place(thoughts)
    if blocks is None:
        blocks = [block for block in metered(thoughts) if is_thought(block, signs=signs)]
        blocks += _text_blocks(pieces)
        blocks += [write_call(call, originals) for call in metered(calls)]
    mark_last(blocks, message.get(MARK))
    return blocks


def is_thought(block: Any, *, signs: bool = True) -> bool:
    """Tell whether *block* is a block of thinking that Claude reads: with its signature, or with its hidden data.

    The text of a thinking block may be empty. "thinking.signature: Field required" [from memory]. Models of other
    vendors with this API do not sign their thoughts (*signs*).
    """
    if not isinstance(block, dict):
        return False
    if block.get("type") == "thinking":
        signature = block.get("signature")
        is_signed = not signs or (isinstance(signature, str) and signature != "")
        return is_signed and isinstance(block.get("thinking"), str)
    data = block.get("data")
    return block.get("type") == "redacted_thinking" and isinstance(data, str) and data != ""


def write_call(call: Message, originals: Originals = NO_ORIGINALS) -> Item:
    """Return the ``tool_use`` of a call. Its input is an object: other arguments are kept as a text in one."""
    if originals and (original := originals.get(id(call))) is not None:
        return original
    function = call.get("function") or {}
    arguments = function.get("arguments") or "{}"
    given: Any = None
    if arguments.__class__ is str:
        if len(arguments) < _SHORT:
            try:
                given = orjson.loads(arguments)
            except orjson.JSONDecodeError:
                given = None
        else:
            given = parse_arguments(arguments)
    block: Item = {
        "type": "tool_use",
        "id": call.get("id") or "",
        "name": function.get("name") or "",
        "input": given if given.__class__ is dict else {RAW_ARGUMENTS: arguments},
    }
    if MARK in call and call[MARK] is not None:
        block[MARK] = call[MARK]
    return block


def _has_places(thoughts: Sequence[Any]) -> bool:
    return any(isinstance(block, dict) and block.get("type") not in THINKING for block in thoughts)


def _text_pieces(content: Any, originals: Originals) -> Iterator[_Piece]:
    if isinstance(content, str):
        yield content, None, None
    elif content:
        for part in metered(content):
            text = part.get("text") if part["type"] == "text" else part.get("refusal")
            if isinstance(text, str):
                yield text, part.get(MARK), originals.get(id(part))


def _text_blocks(pieces: Sequence[_Piece]) -> list[Item]:
    blocks: list[Item] = []
    for text, mark, original in pieces:
        if original is not None:
            blocks.append(original)
        elif is_said(text):
            block = {"type": "text", "text": text}
            blocks.append(block if mark is None else {**block, MARK: mark})
    return blocks


class _Placer:
    """Writes the blocks of one message in the order of its places, each character and each call once."""

    def __init__(
        self, pieces: Sequence[_Piece], calls: Sequence[Message], originals: Originals, *, signs: bool
    ) -> None:
        self._pieces = pieces
        self._at = 0
        self._offset = 0  # the characters of the piece at _at that are written
        self._calls = {call.get("id"): call for call in calls}
        self._has_twins = len(self._calls) < len(calls)
        self._originals = originals
        self._signs = signs

    def place(self, thoughts: Sequence[Any]) -> list[Item] | None:
        """Return the blocks, or None where the places name other texts or calls than the message has."""
        if self._has_twins:
            return None
        blocks: list[Item] = []
        for entry in metered(thoughts):
            if is_thought(entry, signs=self._signs):
                blocks.append(entry)
                continue
            kind = entry.get("type") if isinstance(entry, dict) else None
            if kind == "text":
                pieces = self._take(entry.get("length"))
                if pieces is None:
                    return None
                blocks += _text_blocks(pieces)
            elif kind == "tool_use":
                call_id = entry.get("id")
                call = self._calls.pop(call_id, None) if isinstance(call_id, str) else None
                if call is None:
                    return None
                blocks.append(write_call(call, self._originals))
            elif kind not in THINKING:
                return None
        unwritten = sum(len(text) for text, _, _ in self._pieces[self._at :]) - self._offset
        return None if self._calls or unwritten else blocks

    def _take(self, length: Any) -> list[_Piece] | None:
        """Return the next *length* characters as pieces, or None where there are not as many."""
        if length.__class__ is not int or length < 0:
            return None
        taken: list[_Piece] = []
        while length and self._at < len(self._pieces):
            text, mark, original = self._pieces[self._at]
            start, end = self._offset, min(self._offset + length, len(text))
            length -= end - start
            if (start, end) == (0, len(text)):
                taken.append((text, mark, original))
            elif end > start:
                taken.append((text[start:end], mark, None))
            self._offset = end
            if end == len(text):
                self._at, self._offset = self._at + 1, 0
        return None if length else taken
