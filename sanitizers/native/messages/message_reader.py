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
from sanitizers.native.messages.envelope import is_own, unpack_signature
from sanitizers.native.messages.open_turn import OpenTurn
from sanitizers.native.messages.places import (
    as_json,
    kind_of,
    message_place,
    object_need,
    refuse,
    text_at,
    unknown_needs,
)
from sanitizers.native.messages.read_parts import (
    MARK,
    ReadParts,
    content_of,
    read_block,
    read_blocks,
    text_alone,
)
from sanitizers.native.messages.server_blocks import (
    SERVER_CALLS,
    SERVER_RESULTS,
    call_text,
    held_files,
    result_text,
)
from sanitizers.native.messages.tools import STEP
from sanitizers.native.protocol import HELD_PLACEHOLDER, Item, Need, Span, add_needs
from sanitizers.work_limit import metered

BILLING_HEADER = "x-anthropic-billing-header:"
"""The beginning of a text that Claude Code puts first into ``system``.

It differs in each request, so that no other provider's prompt cache would be of use (vllm-mlx#277).
"""

_LEFT_OUT = frozenset({"document", "image", "search_result", "tool_reference"})
"""Blocks of the client's. A chat's assistant message cannot have them."""

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
        self._tenant = tenant
        self._messages: list[Message] = []
        self._spans: list[Span] = []
        self._changes: list[Change] = []
        self._read = ReadParts([], [])
        self._turn: OpenTurn | None = None
        self._turn_at = 0  # the index of the first message of the open turn
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
        place = message_place(index)
        if item.__class__ is not dict:
            refuse(place, "Input should be a valid dictionary", index=index)
        role = item.get("role")
        if role == "assistant":
            if self._turn is None:
                self._turn, self._turn_at = OpenTurn(), index
            self._read_turn(self._turn, item.get("content"), f"{place}.content", index)
        elif role in ("user", "system"):
            self._close_turn(index)
            read = self._read_user if role == "user" else self._read_inline_system
            made = read(item.get("content"), f"{place}.content")
            first = len(self._messages)
            self._messages += made
            self._spans.append(Span(range(index, index + 1), range(first, len(self._messages))))
        else:
            refuse(f"{place}.role", "Input should be 'user', 'assistant' or 'system'", index=index)
        if self._read.left_out:
            self._report_left_out(index)

    def finish(self, count: int) -> ReadMessages:
        """Return what was read of *count* messages. Raises :class:`~sanitizers.errors.Unrepairable` for nothing."""
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

    def _read_turn(self, turn: OpenTurn, content: Any, place: str, index: int) -> None:
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

    def _close_turn(self, stop: int) -> None:
        """End the model's turn before the message at *stop*."""
        turn = self._turn
        if turn is None:
            return
        self._turn = None
        first = len(self._messages)
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
