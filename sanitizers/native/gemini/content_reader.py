"""Read one content after the other as chat messages.

Broken histories (orphans, missing responses, repeated calls) are passed on as they are: the sanitizing steps repair
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sanitizers.messages import Message
from sanitizers.native.gemini.envelope import is_own, unpack_thoughts
from sanitizers.native.gemini.open_calls import OpenCalls
from sanitizers.native.gemini.parts import (
    Data,
    Part,
    as_json,
    canonical_base64,
    checked_value,
    data_of,
    is_thought,
    nested_parts,
    parts_of,
    signature_of,
    signed,
    text_at,
    unknown_data,
    without_signature,
)
from sanitizers.native.gemini.read_parts import PLAIN_FIELDS, PartReader
from sanitizers.native.gemini.split_parts import Placed, split_parts
from sanitizers.native.gemini.usual_contents import (
    SAID_ALONE,
    read_usual_results,
    read_usual_text,
    read_usual_turn,
)
from sanitizers.native.protocol import Item, Items, Span
from sanitizers.synthetic import DerivedIds
from sanitizers.work_limit import metered

_MODEL_ROLES = ("assistant", "model")


def is_role_of_model(role: Any) -> bool:
    """Tell whether *role* is read as the model's, in any case. Any other value is read as the user's."""
    return role == "model" or (isinstance(role, str) and role.lower() in _MODEL_ROLES)


class ContentReader:
    """Reads one content after the other, behind the *leading* messages. Envelopes are those of *tenant*.

    The fields are those of a :class:`sanitizers.native.gemini.project.GeminiProjection`.
    """

    def __init__(self, native: Items, tenant: str, leading: Sequence[Message] = ()) -> None:
        self.messages: list[Message] = [*leading]
        self.spans: list[Span] = []
        self.parts: list[list[Part]] = [[] for _ in leading]
        self.originals: dict[int, Part] = {}
        self.unnamed: set[str] = set()
        self.odd: set[int] = set()
        self.read = PartReader()
        self._native = native
        self._tenant = tenant
        self._ids: DerivedIds | None = None
        self._open = OpenCalls(())
        self._waits = 0  # the calls of the content before, which the next one must answer

    def add(self, index: int, content: Item) -> None:
        """Add the messages of the content at *index*."""
        if content.__class__ is dict and self._add_usual(index, content):
            return
        parts = parts_of(content, index)
        role = content.get("role")
        first = len(self.messages)
        side = "assistant" if is_role_of_model(role) else "user"
        waits, self._waits = self._waits, 0
        place = f"contents[{index}].parts"
        placed = [(part, data_of(part), f"{place}[{at}]") for at, part in enumerate(metered(parts))]
        is_usual = self._add_parts(placed, side, index, waits)
        if not is_usual or (role != "user" and role != "model") or content.get("parts") is not parts:
            self.odd.add(index)
        self.spans.append(Span(range(index, index + 1), range(first, len(self.messages))))

    def _add_usual(self, index: int, content: Item) -> bool:
        """Add the messages of a content of the usual kinds, which breaks no rule. Return False for any other one."""
        role, parts = content.get("role"), content.get("parts")
        if parts.__class__ is not list or not parts:
            return False
        first = len(self.messages)
        if self._waits:
            results = read_usual_results(parts, self._open.names) if role == "user" else None
            if results is None:
                return False
            self._open.take_all()
            self._waits = 0
            self.messages += results
            for part in parts:
                self.parts.append([part])
        elif role == "model":
            turn = read_usual_turn(parts)
            if turn is None:
                return False
            calls = turn.calls
            self._open = OpenCalls(calls, turn.names)
            self._waits = len(calls)
            at = len(parts) - len(calls)
            for call in calls:
                self.originals[id(call)] = parts[at]
                at += 1
            self.messages.append(turn.message)
            self.parts.append(parts)
        elif role == "user" and (text := read_usual_text(parts)) is not None:
            self.messages.append({"role": "user", "content": text})
            self.parts.append(parts)
        else:
            return False
        self.spans.append(Span(range(index, index + 1), range(first, len(self.messages))))
        return True

    def add_run(self, index: int, contents: Items) -> None:
        """Add the message of *contents* of the model, which follow one another from *index* on, as one answer."""
        first = len(self.messages)
        waits, self._waits = self._waits, 0
        placed = [
            (part, data_of(part), f"contents[{at}].parts[{number}]")
            for at, content in enumerate(metered(contents), index)
            for number, part in enumerate(metered(parts_of(content, at)))
        ]
        self._add_parts(placed, "assistant", index, waits)
        self.odd.add(index)
        self.spans.append(Span(range(index, index + len(contents)), range(first, len(self.messages))))

    def _add_parts(self, placed: list[Placed], side: str, index: int, waits: int) -> bool:
        """Add the messages of any content. Return True where it breaks no rule at the models of any profile.

        *waits* are the calls of the content before.
        """
        results = 0
        is_usual = bool(placed)
        split = split_parts(placed, side)
        for kind, own in split:
            if kind == "tool":
                results += 1
                message, is_sound = self._result(*own[0], index)
                is_usual = is_usual and is_sound and side == "user"
            else:
                message, is_sound = self._turn(kind, own, index)
                is_usual = is_usual and is_sound and kind == side
            self.messages.append(message)
            self.parts.append([part for part, _, _ in own])
        return is_usual and results == waits and (not results or results == len(split))

    def _turn(self, role: str, placed: list[Placed], index: int) -> tuple[Message, bool]:
        """Return one message of the user or the model, and True where its parts break no rule."""
        content: list[Message] = []
        calls: list[Message] = []
        sealed: list[str | None] = []
        texts: list[str] = []
        is_sound = True
        for part, data, place in metered(placed):
            seal = signature_of(part)
            has_seal = seal is not None and is_own(seal)
            has_data = bool(data.kind) or unknown_data(part) is not None
            is_sound = is_sound and not has_seal and not data.several and has_data
            if data.kind == "functionCall":
                made, is_good = self._call(part, data, place, index, len(calls), has_seal)
                is_sound = is_sound and is_good
                calls.append(made)
                sealed.append(seal if has_seal else None)
            else:
                if has_seal:
                    self.read.report("dropped", index, "envelope_damaged", place)
                said = self.read.read(part, data, place, index, media=role == "user")
                if said is None:
                    is_sound = is_sound and (is_thought(part) or bool(seal)) and not has_seal
                    continue
                made = said
                content.append(made)
                is_bare = len(part) == 1 or (role == "assistant" and part.keys() <= PLAIN_FIELDS)
                if data.kind == "text" and is_bare:
                    texts.append(said["text"])
            self.originals[id(made)] = without_signature(part) if has_seal else part
        message: Message = {"role": role, "content": content or (None if calls else "")}
        if content and len(texts) == len(content) and (len(content) == 1 or role == "assistant"):
            message["content"] = "".join(texts)
            for said in content:  # the object is forgotten with its id()
                del self.originals[id(said)]
        if role == "assistant":
            self._open = OpenCalls(calls)
            self._waits = len(calls)
        if calls:
            if any(sealed):
                self._open_envelopes(message, calls, sealed, placed, index)
            message["tool_calls"] = calls
        return message, is_sound and bool(content or calls)

    def _call(
        self, part: Part, data: Data, place: str, index: int, number: int, has_seal: bool
    ) -> tuple[Message, bool]:
        given = checked_value(part, data, place)
        name, call_id = text_at(given, "name"), text_at(given, "id")
        if not call_id:
            call_id = self._derive(index, number, name)
        args = given.get("args")
        function = {
            "name": name,
            "arguments": "{}" if args is None else as_json(args, f"{place}.{data.key}.args"),
        }
        signature = None if has_seal else signature_of(part)
        call: Message = {"id": call_id, "type": "function", "function": function}
        if signature is not None:
            signed(call, canonical_base64(signature))
        if len(part) > 1:
            self.read.report_fields(part, data, place, index)
        return call, bool(name) and ("args" not in given or isinstance(args, dict))

    def _derive(self, index: int, number: int, name: str) -> str:
        if self._ids is None:
            self._ids = DerivedIds(_ids_in(self._native))
        call_id = self._ids.derive(index, number, name)
        self.unnamed.add(call_id)
        return call_id

    def _open_envelopes(
        self,
        message: Message,
        calls: list[Message],
        sealed: list[str | None],
        placed: list[Placed],
        index: int,
    ) -> None:
        """Put the thoughts of the first envelope of *sealed* that is the call's own into *message*."""
        for call, seal in zip(calls, sealed, strict=True):
            if seal is None:
                continue
            opened = unpack_thoughts(seal, self._tenant)
            if opened is not None and opened.call_id == call["id"] and "thinking_blocks" not in message:
                message["thinking_blocks"] = opened.blocks
            else:
                self.read.report("dropped", index, "envelope_damaged", placed[0][2])

    def _result(self, part: Part, data: Data, place: str, index: int) -> tuple[Message, bool]:
        """Return the message of one response, and True where it breaks no rule."""
        response = checked_value(part, data, place)
        name, response_id = text_at(response, "name"), text_at(response, "id")
        answered = self._open.take(response_id, name)
        message: Message = {"role": "tool"}
        if answered or response_id:
            message["tool_call_id"] = answered or response_id
        if not answered and name:
            message["name"] = name  # the pipeline looks for its call by name and place
        held = response.get("response")
        here = f"{place}.{data.key}"
        text = _response_text(held, here)
        nested: list[Message] = []
        for at, inner in nested_parts(response):
            made = self.read.read_nested(inner, f"{here}.parts[{at}]", index)
            if made is not None:
                self.originals[id(made)] = inner
                nested.append(made)
        message["content"] = [{"type": "text", "text": text}, *nested] if nested else text
        is_named = self._open.names.get(answered) == name and (
            answered == response_id or (not response_id and answered in self.unnamed)
        )
        is_plain = isinstance(held, dict) and not response.get("parts") and not data.several
        return message, is_named and is_plain and bool(name)


def _ids_in(native: Items) -> set[str]:
    """Return all ids of calls and responses, which derived ids must not equal."""
    taken = set()
    for index, content in enumerate(metered(native)):
        for part in metered(parts_of(content, index)):
            data = data_of(part)
            if data.kind in ("functionCall", "functionResponse") and isinstance(data.value, dict):
                taken.add(text_at(data.value, "id"))
    return taken


def _response_text(response: Any, place: str) -> str:
    """Return a response as the text of a result: the text under one of the usual keys, or else the JSON."""
    if response is None:
        return ""
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and len(response) == 1:
        [(key, value)] = response.items()
        if key in SAID_ALONE and isinstance(value, str):
            return value
    return as_json(response, f"{place}.response")
