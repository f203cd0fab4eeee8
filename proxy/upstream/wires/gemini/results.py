"""Tool results as function responses: a turn's results alone in one content, in the order of their calls."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from proxy.core.errors import InvalidRequest
from proxy.core.nesting import nesting_exceeds
from proxy.upstream.wires.gemini.media import inline_data
from sanitizers.messages import Message, Messages, base_id, is_part_list, parse_arguments

TEXT_KEY = "content"
"""The key of a response that is no JSON object: litellm's, so that both transports say the same."""

_DEEPEST = 64
"""Levels of a response; the parser refuses bodies of over 100 (protobuf's recursion limit), ours included."""


Calls: TypeAlias = dict[str, tuple[int, str, str | None]]
"""What results need to know of the calls of a content, by their ids: the place, the name, and the id on the wire.

None stands for the last where the wire has no ids; of calls with one id it is the first. A plain tuple takes a third
of the time that a named one takes to make, and there is one for every call of a history.
"""


def response_contents(
    messages: Messages, results: Sequence[int], calls: Calls, *, nested_media: bool
) -> list[dict[str, Any]]:
    """Return the user contents for the tool messages at *results*, which are behind the content of *calls*.

    Media in a result stands where the model takes it. With *nested_media* (Gemini 3 on) that is inside the response,
    and nowhere else: 3.6 refuses a content that mixes responses with anything. Older models know no nested parts:
    there a lone result has its media beside it, while beside parallel results every part counts as one more response
    ("the number of function response parts is equal to …", ag-ui#1334), so that theirs follow as a content of its own.

    Raises :class:`InvalidRequest` for a result whose call is not among *calls*: nothing says its name.
    """
    answered = []
    by_base: Calls | None = None
    for index in results:
        call = calls.get(messages[index].get("tool_call_id") or "")
        if call is None:
            by_base = _by_base(calls) if by_base is None else by_base
            call = _call_by_base(messages[index], index, by_base)
        answered.append((call, index))
    if len(answered) > 1:
        answered.sort(key=lambda one: one[0][0])  # by the place of the call
    parts: list[dict[str, Any]] = []
    media: list[dict[str, Any]] = []
    for (_, name, wire_id), index in answered:
        content = messages[index].get("content")
        own: list[dict[str, Any]] = []
        if content.__class__ is list and is_part_list(content):
            content, own = _text_and_media(content, index)
        # Nearly all are texts that do not even begin as an object.
        no_object = content.__class__ is str and not (content[:1] == "{" or content[:1].isspace())
        struct = {TEXT_KEY: content} if no_object else _struct(content)
        response: dict[str, Any] = (
            {"name": name, "response": struct}
            if wire_id is None
            else {"id": wire_id, "name": name, "response": struct}
        )
        if own and nested_media:
            response["parts"] = own
        elif own:
            media += own
        parts.append({"functionResponse": response})
    if media and len(parts) == 1:
        return [{"role": "user", "parts": parts + media}]
    own_content = [{"role": "user", "parts": media}] if media else []
    return [{"role": "user", "parts": parts}, *own_content]


def _by_base(calls: Calls) -> Calls:
    """Return *calls* by their ids without a signature; of calls with one such id the first."""
    return {base_id(call_id): call for call_id, call in reversed(calls.items())}


def _call_by_base(message: Message, index: int, by_base: Calls) -> tuple[int, str, str | None]:
    """Return the call of a result none of which has its id: the one with the same but for a signature behind either."""
    result_id = message.get("tool_call_id")
    call = by_base.get(base_id(result_id)) if result_id else None
    if call is not None:
        return call
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
