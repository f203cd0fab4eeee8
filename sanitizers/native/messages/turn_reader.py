"""Read the blocks of the model's messages into its open turn."""

from __future__ import annotations

from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import Message
from sanitizers.native.messages.envelope import is_own, unpack_signature
from sanitizers.native.messages.open_turn import OpenTurn
from sanitizers.native.messages.places import (
    as_json,
    kind_of,
    object_need,
    refuse,
    text_at,
    unknown_needs,
)
from sanitizers.native.messages.read_parts import MARK, ReadParts
from sanitizers.native.messages.server_blocks import (
    SERVER_CALLS,
    SERVER_RESULTS,
    call_text,
    held_files,
    result_text,
)
from sanitizers.native.messages.tools import STEP
from sanitizers.native.protocol import HELD_PLACEHOLDER, Item, add_needs
from sanitizers.work_limit import metered

_LEFT_OUT = frozenset({"document", "image", "search_result", "tool_reference"})
"""Blocks of the client's. A chat's assistant message cannot have them."""


class TurnReader:
    """Reads contents of the model's messages. Envelopes are those of *tenant*.

    *read* and *changes* are added to: what no chat message carries, and what was changed.
    """

    def __init__(self, tenant: str, read: ReadParts, changes: list[Change]) -> None:
        self._tenant = tenant
        self._read = read
        self._changes = changes

    def read(self, turn: OpenTurn, content: Any, place: str, index: int) -> None:
        """Add *content*, which stands at *place* in the message at *index*, to *turn*.

        Raises :class:`~sanitizers.errors.Unrepairable`, with its place, for what cannot be read.
        """
        turn.end_message()
        if content is None or isinstance(content, str):
            turn.say(content or "")
            return
        if not isinstance(content, list):
            refuse(place, "Input should be a valid string or a valid list")
        turn.is_blank = turn.is_blank or not content
        for number, block in enumerate(metered(content)):
            here = f"{place}.{number}"
            kind = kind_of(block, here)
            if kind == "text":
                if block.get("citations"):
                    self._read.left_out.append(f"{here}.citations")
                turn.say(text_at(block, "text", here), block.get(MARK))
            elif kind == "tool_use":
                turn.call(_read_call(block, here))
            elif kind in ("thinking", "redacted_thinking"):
                self._read_thinking(turn, block, kind, here, index)
            else:
                self._read_other(turn, block, kind, here)

    def _read_thinking(self, turn: OpenTurn, block: Item, kind: str, place: str, index: int) -> None:
        """Add thinking: Claude's as it came, and the proxy's own envelope as the signature in it."""
        seal = text_at(block, "signature" if kind == "thinking" else "data", place)
        text = text_at(block, "thinking", place)
        if seal and not is_own(seal):
            turn.think(block)
            return
        if text:
            turn.thoughts.append(text)
        if seal:
            signed = unpack_signature(seal, self._tenant)
            if signed is None:
                self._changes.append(Change(STEP, "dropped", index, "envelope_damaged", place))
            else:
                turn.signatures[signed.call_id] = signed.signature

    def _read_other(self, turn: OpenTurn, block: Item, kind: str, place: str) -> None:
        if kind in SERVER_CALLS:
            turn.say(call_text(block, place), is_block=False)
        elif kind in SERVER_RESULTS:
            for held in held_files(block):
                add_needs(self._read.needs, [object_need(f"{place}.{held}", can_be_left_out=True)])
            if text := result_text(block):
                turn.say(text, is_block=False)
        elif kind in _LEFT_OUT:
            source = block.get("source")
            if isinstance(source, dict) and source.get("type") == "file":
                add_needs(self._read.needs, [object_need(f"{place}.source.file_id", can_be_left_out=True)])
            self._read.left_out.append(f"{place}:{kind}")
        elif kind == "tool_result":
            refuse(place, "`tool_result` blocks are only allowed in `user` messages")
        else:
            add_needs(self._read.needs, unknown_needs(block, place, kind))
            turn.say(HELD_PLACEHOLDER, is_block=False)


def _read_call(block: Item, place: str) -> Message:
    """Return the call of a ``tool_use``. A missing id or name becomes an empty one, and an input that is a text stays.

    The sanitizing steps handle them.
    """
    given = block.get("input")
    arguments = (
        given if isinstance(given, str) else "{}" if given is None else as_json(given, f"{place}.input")
    )
    call: Message = {
        "id": text_at(block, "id", place),
        "type": "function",
        "function": {"name": text_at(block, "name", place), "arguments": arguments or "{}"},
    }
    if block.get(MARK) is not None:
        call[MARK] = block[MARK]
    return call
