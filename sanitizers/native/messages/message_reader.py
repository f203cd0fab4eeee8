"""Read one message of a Messages request after the other as chat messages.

Results of tools become messages of their own, before what the user says with them. All that the model says between two
messages of the client's is one message, as Anthropic joins messages of one role. Broken histories (orphans, missing
results, repeated calls) are passed on as they are: the sanitizing steps repair them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.messages import Message
from sanitizers.native.messages.open_turn import OpenTurn
from sanitizers.native.messages.places import (
    kind_of,
    message_place,
    refuse,
    text_at,
)
from sanitizers.native.messages.read_parts import (
    MARK,
    ReadParts,
    content_of,
    read_block,
    read_blocks,
    text_alone,
)
from sanitizers.native.messages.tools import STEP
from sanitizers.native.messages.turn_reader import TurnReader
from sanitizers.native.messages.usual_contents import read_usual_turn, read_usual_user
from sanitizers.native.protocol import Item, Need, Span
from sanitizers.work_limit import metered

BILLING_HEADER = "x-anthropic-billing-header:"
"""The beginning of a text that Claude Code puts first into ``system``.

It differs in each request, so that no other provider's prompt cache would be of use (vllm-mlx#277).
"""

_NOT_OF_USER = frozenset({"redacted_thinking", "thinking", "tool_use"})


class ReadMessages(NamedTuple):
    """The fields of a :class:`sanitizers.native.messages.project.MessagesProjection`."""

    messages: list[Message]
    spans: list[Span]
    changes: tuple[Change, ...]
    needs: tuple[Need, ...]
    leading: int


class MessageReader:
    """Reads one message after the other. Envelopes are those of *tenant*."""

    def __init__(self, tenant: str) -> None:
        self._messages: list[Message] = []
        self._spans: list[Span] = []
        self._changes: list[Change] = []
        self._read = ReadParts([], [])
        self._turns = TurnReader(tenant, self._read, self._changes)
        self._turn: OpenTurn | None = None
        self._turn_at = 0  # the index of the first message of the open turn
        self._usual: Message | None = None  # the open turn, where it is one usual message of the client's
        self._usual_content: Any = None
        self._leading = 0

    def read_system(self, system: Any) -> None:
        """Add the request's ``system`` field as one message, with its parts apart."""
        if system is None:
            return
        if isinstance(system, list):
            parts: list[Message] = []
            for number, block in enumerate(metered(system)):
                place = f"system.{number}"
                if kind_of(block, place) != "text":
                    refuse(f"{place}.type", "Input should be 'text'")
                if is_billing(block):
                    self._changes.append(Change(STEP, "dropped", 0, "billing_header", place))
                else:
                    parts += read_block(block, place, self._read)
            content = content_of(parts)
            self._report_left_out(0)
        elif isinstance(system, str):
            content = system
        else:
            refuse("system", "Input should be a valid string or a valid list")
        if content:
            self._messages.append({"role": "system", "content": content})
            self._leading = 1

    def add(self, index: int, item: Item) -> None:
        """Add the message at *index*."""
        if item.__class__ is not dict:
            refuse(message_place(index), "Input should be a valid dictionary", index=index)
        role, content = item.get("role"), item.get("content")
        if role == "assistant":
            if self._turn is None and self._usual is None:
                self._turn_at = index
                self._usual = read_usual_turn(content)
                self._usual_content = content
                if self._usual is not None:
                    return
            self._turns.read(self._open_turn(), content, f"{message_place(index)}.content", index)
        elif role == "user" or role == "system":
            if self._turn is not None or self._usual is not None:
                self._close_turn(index)
            made = read_usual_user(content) if role == "user" else None
            if made is None:
                read = self._read_user if role == "user" else self._read_inline_system
                made = read(content, f"{message_place(index)}.content")
            first = len(self._messages)
            self._messages += made
            self._spans.append(Span(range(index, index + 1), range(first, first + len(made))))
        else:
            place = f"{message_place(index)}.role"
            refuse(place, "Input should be 'user', 'assistant' or 'system'", index=index)
        if self._read.left_out:
            self._report_left_out(index)

    def finish(self, count: int) -> ReadMessages:
        """Return what was read of *count* messages. Raises :class:`~sanitizers.errors.Unrepairable` for nothing."""
        if self._turn is not None or self._usual is not None:
            self._close_turn(count)
        if not self._messages:
            refuse("messages", "at least one message with content is required", "nothing_to_send")
        changes = tuple(sorted(self._changes, key=attrgetter("index")))
        return ReadMessages(self._messages, self._spans, changes, tuple(self._read.needs), self._leading)

    def _report_left_out(self, index: int) -> None:
        """Report what the message at *index* has that no chat message carries: each kind of it once."""
        seen: set[str] = set()
        for place in self._read.left_out:
            reason = "citations" if place.endswith(".citations") else "refused_part"
            if reason not in seen:
                seen.add(reason)
                self._changes.append(Change(STEP, "dropped", index, reason, place))
        self._read.left_out.clear()

    def _read_user(self, content: Any, place: str) -> list[Message]:
        if content.__class__ is not list:
            return [{"role": "user", "content": read_blocks(content, place, self._read)}]
        results: list[Message] = []
        parts: list[Message] = []
        for number, block in enumerate(metered(content)):
            if block.__class__ is dict and block.get("type") == "tool_result":
                results.append(self._read_result(block, f"{place}.{number}"))
            elif (alone := text_alone(block)) is not None:
                parts.append({"type": "text", "text": alone})
            else:
                here = f"{place}.{number}"
                if (kind := kind_of(block, here)) in _NOT_OF_USER:
                    refuse(here, f"`{kind}` blocks are only allowed in `assistant` messages")
                parts += read_block(block, here, self._read)
        if parts or not results:
            results.append({"role": "user", "content": content_of(parts)})
        return results

    def _read_result(self, block: Item, place: str) -> Message:
        message: Message = {"role": "tool"}
        if call_id := text_at(block, "tool_use_id", place):
            message["tool_call_id"] = call_id
        message["content"] = read_blocks(block.get("content"), f"{place}.content", self._read)
        if block.get("is_error") is True:
            message["is_error"] = True
        if block.get(MARK) is not None:
            message[MARK] = block[MARK]
        return message

    def _read_inline_system(self, content: Any, place: str) -> list[Message]:
        if isinstance(content, list):
            for number, block in enumerate(metered(content)):
                if kind_of(block, f"{place}.{number}") != "text":
                    refuse(f"{place}.{number}.type", "Input should be 'text'")
        return [{"role": "system", "content": read_blocks(content, place, self._read)}]

    def _open_turn(self) -> OpenTurn:
        """Return the open turn. A usual message at its beginning is read again, since more follows it."""
        if self._turn is None:
            self._turn = OpenTurn()
            if self._usual is not None:
                self._usual = None
                at = self._turn_at
                self._turns.read(self._turn, self._usual_content, f"{message_place(at)}.content", at)
        return self._turn

    def _close_turn(self, stop: int) -> None:
        """End the model's turn before the message at *stop*."""
        turn, message = self._turn, self._usual
        self._turn = self._usual = None
        first = len(self._messages)
        if turn is not None:
            message = turn.message()
        if message is None:
            self._changes.append(Change(STEP, "dropped", self._turn_at, "thinking_alone"))
        else:
            self._messages.append(message)
        self._spans.append(Span(range(self._turn_at, stop), range(first, len(self._messages))))


def is_billing(block: Item) -> bool:
    """Tell whether a *block* of ``system`` is Claude Code's line for Anthropic's billing."""
    text = block.get("text")
    return isinstance(text, str) and text.startswith(BILLING_HEADER)
