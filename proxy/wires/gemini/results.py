"""Tool results as function responses: a turn's results alone in one content, in the order of their calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from proxy.errors import InvalidRequest
from proxy.nesting import nesting_exceeds
from proxy.wires.gemini.media import inline_data
from sanitizers.messages import Message, base_id, is_part_list, parse_arguments

TEXT_KEY = "content"
"""The key of a response that is no JSON object: litellm's, so that both transports say the same."""

_DEEPEST = 64
"""Levels of a response; the parser refuses bodies of over 100 (protobuf's recursion limit), ours included."""


class Call(NamedTuple):
    """A call as its results need to know it; *wire_id* is None where the wire has no ids."""

    id: str
    name: str
    wire_id: str | None


def response_contents(
    results: Sequence[tuple[int, Message]], calls: Sequence[Call], *, nested_media: bool
) -> list[dict[str, Any]]:
    """Return the user contents for *results*, the tool messages behind the content of *calls*, with their indices.

    Media in a result stands where the model takes it. With *nested_media* (Gemini 3 on) that is inside the response,
    and nowhere else: 3.6 refuses a content that mixes responses with anything. Older models know no nested parts:
    there a lone result has its media beside it, while beside parallel results every part counts as one more response
    ("the number of function response parts is equal to …", ag-ui#1334), so that theirs follow as a content of its own.

    Raises :class:`InvalidRequest` for a result whose call is not among *calls*: nothing says its name.
    """
    places: dict[str, int] = {}
    for place, call in enumerate(calls):
        if call.id not in places:
            places[call.id] = place
    answered = [(_position(message, index, calls, places), index, message) for index, message in results]
    if len(answered) > 1:
        answered.sort(key=itemgetter(0))
    parts: list[dict[str, Any]] = []
    media: list[dict[str, Any]] = []
    for position, index, message in answered:
        call = calls[position]
        content = message.get("content")
        own: list[dict[str, Any]] = []
        if content.__class__ is list and is_part_list(content):
            content, own = _text_and_media(content, index)
        response: dict[str, Any] = {"name": call.name, "response": _struct(content)}
        if call.wire_id is not None:
            response = {"id": call.wire_id, **response}
        if own and nested_media:
            response["parts"] = own
        else:
            media += own
        parts.append({"functionResponse": response})
    if media and len(parts) == 1:
        return [{"role": "user", "parts": parts + media}]
    own_content = [{"role": "user", "parts": media}] if media else []
    return [{"role": "user", "parts": parts}, *own_content]


def _position(message: Message, index: int, calls: Sequence[Call], places: Mapping[str, int]) -> int:
    call_id = message.get("tool_call_id") or ""
    place = places.get(call_id)
    if place is not None:
        return place
    bare = [base_id(call.id) for call in calls]
    if call_id and base_id(call_id) in bare:
        return bare.index(base_id(call_id))
    raise InvalidRequest(
        f"'messages[{index}]' is a tool result without a call in the turn before it.",
        param=f"messages[{index}].tool_call_id",
    )


def _text_and_media(content: list[dict[str, Any]], index: int) -> tuple[str, list[dict[str, Any]]]:
    """Return the text of a result's parts, and its media."""
    texts = [part.get("text") or "" for part in content if part["type"] == "text"]
    media = [
        inline_data(part, f"messages[{index}].content[{at}]")
        for at, part in enumerate(content)
        if part["type"] != "text"
    ]
    return "".join(texts), media


def _struct(content: Any) -> dict[str, Any]:
    """Return a result as the object that ``response`` has to be: its own JSON object, or its text under a key."""
    if content is None:
        content = ""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    if text.lstrip()[:1] == "{":
        value = parse_arguments(text)
        if value is not None and not nesting_exceeds(value, _DEEPEST):
            return value
    return {TEXT_KEY: text}
