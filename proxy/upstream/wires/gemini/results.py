"""Writes tool results as function responses, in the order of their calls. A turn's results have their own content."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, TypeAlias

from proxy.core.errors import InvalidRequest
from proxy.core.nesting import nesting_exceeds
from proxy.upstream.wires.gemini.media import inline_data
from sanitizers.messages import Message, Messages, base_id, is_part_list, parse_arguments

TEXT_KEY = "content"
"""The key that holds a result which is no JSON object. litellm uses the same key."""

ERROR_KEY = "error"
"""The key that holds the result of a failed call (ai.google.dev/api/caching, ``FunctionResponse.response``)."""

_DEEPEST = 64
"""The most nesting levels of a response.

Gemini's parser refuses bodies with over 100 levels (protobuf's recursion limit).
"""


Calls: TypeAlias = dict[str, tuple[int, str, str | None]]
"""The calls of a content by their ids, each with its index, its name and its id on the wire.

The id on the wire is None for models without call ids. If calls share an id, only the first is kept. These are plain
tuples, since a named tuple takes three times as long to make.
"""


def response_contents(
    messages: Messages, results: Sequence[int], calls: Calls, *, nested_media: bool
) -> list[dict[str, Any]]:
    """Return the user contents for the tool messages at the indices *results*, which answer the calls in *calls*.

    With *nested_media* (from Gemini 3 on) a result's media stands inside its response. Gemini 3.6 refuses a content
    that mixes responses with other parts. Older models know no nested parts. For them, the media of a single result
    stands next to its response. Next to parallel responses every part counts as one more response ("the number of
    function response parts is equal to …", ag-ui#1334). So the media of parallel results follows in a content of its
    own.

    Raises :class:`InvalidRequest` for a result whose call is not in *calls*, since the function's name is unknown.
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
        answered.sort(key=lambda one: one[0][0])  # the place of the call
    parts: list[dict[str, Any]] = []
    media: list[dict[str, Any]] = []
    for (_, name, wire_id), index in answered:
        content = messages[index].get("content")
        own: list[dict[str, Any]] = []
        if content.__class__ is list and is_part_list(content):
            content, own = _text_and_media(content, index)
        # Most results are texts that do not begin like an object.
        no_object = content.__class__ is str and not (content[:1] == "{" or content[:1].isspace())
        struct = {TEXT_KEY: content} if no_object else _struct(content)
        if "is_error" in messages[index] and messages[index]["is_error"] is True:  # a call less for each
            struct = _failure(struct)
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


def _failure(struct: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a failed call under Gemini's key for failures. A result that has the key stays."""
    if ERROR_KEY in struct:
        return struct
    return {ERROR_KEY: struct[TEXT_KEY] if struct.keys() == {TEXT_KEY} else struct}


def _by_base(calls: Calls) -> Calls:
    """Return *calls* by their ids without a signature. If calls share such an id, the first is kept."""
    return {base_id(call_id): call for call_id, call in reversed(calls.items())}


def _call_by_base(message: Message, index: int, by_base: Calls) -> tuple[int, str, str | None]:
    """Return the call whose id equals the result's id, both without a signature's suffix.

    Raises :class:`InvalidRequest` if there is none.
    """
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
    """Return a result as the object that ``response`` must be: its own JSON object, or its text under a key."""
    if content is None:
        content = ""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    if text.lstrip()[:1] == "{":
        value = parse_arguments(text)
        if value is not None and not nesting_exceeds(value, _DEEPEST):
            return value
    return {TEXT_KEY: text}
