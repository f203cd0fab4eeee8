"""Write a changed turn of the model from the content that it was read from, with the parts that stay.

Only what has changed is written anew. So thoughts, signatures and the order of the parts stay as they came.
"""

from __future__ import annotations

from typing import Any

from sanitizers.messages import Message, function_of, parse_arguments, tool_calls_of
from sanitizers.native.gemini.parts import (
    SIGNATURE_KEYS,
    Part,
    canonical_base64,
    data_of,
    is_call,
    signature_of,
    signature_of_call,
    without_signature,
)
from sanitizers.native.gemini.project import GeminiProjection
from sanitizers.native.gemini.write_parts import sound_parts, without_null_args, write_call, write_content
from sanitizers.stand_ins import STAND_INS
from sanitizers.work_limit import metered


class TurnSources:
    """Finds the message of *projected* that a changed turn of the model was, and writes the turn's parts.

    A changed call keeps the object of its function or its id. Some providers use an id in every turn.
    """

    def __init__(self, projected: GeminiProjection) -> None:
        self._projected = projected
        self._by_function: dict[int, int] = {}
        self._by_call: dict[str, int] = {}
        self._by_text: dict[int, int] = {}
        for place, message in enumerate(metered(projected.messages)):
            if message["role"] != "assistant":
                continue
            for call in tool_calls_of(message):
                self._by_function[id(call["function"])] = place
                self._by_call[call["id"]] = -1 if call["id"] in self._by_call else place
            if message["content"]:
                self._by_text[id(message["content"])] = place

    def find(self, message: Message) -> int | None:
        """Return the place of the one message that *message* was, or None where it was none or several."""
        calls = tool_calls_of(message)
        content = message.get("content")
        by_text = self._by_text.get(id(content)) if content else None
        found = {self._place_of(call) for call in metered(calls)}
        [place] = found if len(found) == 1 else (by_text if by_text is not None and not calls else -1,)
        if place < 0 or len({call.get("id") for call in calls}) < len(calls):
            return None
        is_of_another = by_text is not None and content is not self._projected.messages[place]["content"]
        return None if is_of_another else place

    def rewrite(self, message: Message, place: int) -> list[Part]:
        """Return the parts of *message*, which was the message at *place*."""
        before = self._projected.messages[place]
        originals, unnamed = self._projected.originals, self._projected.unnamed
        calls = {call["id"]: call for call in tool_calls_of(message)}
        by_function = {id(call.get("function")): call for call in calls.values()}
        known = tool_calls_of(before)
        keeps_content = message.get("content") is before["content"]
        texts = [] if keeps_content else write_content(message, originals)
        parts: list[Part] = []
        number = 0
        for part in metered(self._projected.parts[place]):
            if not is_call(part):
                if keeps_content:
                    parts += sound_parts([part])
                continue
            if not keeps_content and texts:
                parts += texts
                texts = []
            call = by_function.get(id(known[number]["function"])) or calls.get(known[number]["id"])
            number += 1
            if call is not None and calls.pop(call["id"], None) is not None:
                parts.append(_call_part(call, part, unnamed))
        return [*parts, *texts, *(write_call(call, unnamed) for call in calls.values())]

    def _place_of(self, call: Message) -> int:
        by_function = self._by_function.get(id(call.get("function")))
        return self._by_call.get(call.get("id") or "", -1) if by_function is None else by_function


def _call_part(call: Message, part: Part, unnamed: set[str]) -> Part:
    """Return the part of *call*, which was read from *part*: that very part where the two are the same."""
    part = without_null_args(part)
    data = data_of(part)
    given: dict[str, Any] = data.value
    function = function_of(call)
    args = given.get("args")
    same = function.get("name") == given.get("name") and isinstance(args, dict | None)
    wire_id = None if call["id"] in unnamed else call["id"]
    same = same and wire_id == (given.get("id") or None) and not data.several
    if not same or parse_arguments(function.get("arguments") or "") != (args or {}):
        return write_call(call, unnamed)
    now = signature_of_call(call)
    came = signature_of(part)
    if now is None:
        return part if came is None or came in STAND_INS else without_signature(part)
    if came is not None and (canonical_base64(came) == now or {came, now} <= STAND_INS):
        return part
    key = next((name for name in SIGNATURE_KEYS if name in part), SIGNATURE_KEYS[0])
    return {**part, key: now}
