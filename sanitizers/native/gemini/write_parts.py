"""Write messages as parts of a content: native parts where the messages are unchanged, and new parts elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sanitizers.errors import Unrepairable
from sanitizers.media.reading import Inline, read_media
from sanitizers.messages import Message, function_of, parse_arguments, tool_calls_of
from sanitizers.native.gemini.parts import (
    Part,
    data_of,
    is_sealed,
    signature_of,
    signature_of_call,
    unknown_data,
    without_other_data,
    without_signature,
)
from sanitizers.synthetic import RAW_ARGUMENTS
from sanitizers.work_limit import metered

RESULT_KEY = "output"
"""The key of a result that is no JSON object ("use 'output' key", ai.google.dev/api/caching#FunctionResponse)."""


def sound_parts(parts: list[Part]) -> list[Part]:
    """Return the parts of an unchanged message that Gemini accepts.

    A part with one field of data stays the same object.
    """
    kept = []
    for part in metered(parts):
        data = data_of(part)
        if is_sealed(part):
            part = without_signature(part)
        holds_any = (
            data.value or signature_of(part) if data.kind == "text" else data.kind or unknown_data(part)
        )
        if holds_any:
            kept.append(without_null_args(without_other_data(part, data)))
    return kept


def without_null_args(part: Part) -> Part:
    """Return *part* without arguments that are null, which Gemini refuses (AstrBot#7134), or *part* itself."""
    data = data_of(part)
    if data.kind != "functionCall" or data.value.get("args", part) is not None:
        return part
    return {**part, data.key: {key: value for key, value in data.value.items() if key != "args"}}


def write_turn(message: Message, originals: Mapping[int, Part], unnamed: set[str]) -> list[Part]:
    """Return the parts of a changed message of the user or the model.

    Unchanged content parts and calls are written as their native parts, signatures included. *originals* and *unnamed*
    are those of the projection. Raises :class:`~sanitizers.errors.Unrepairable` for media that is not inline.
    """
    parts = write_content(message, originals)
    for call in metered(tool_calls_of(message)):
        original = originals.get(id(call))
        parts.append(write_call(call, unnamed) if original is None else original)
    return parts


def write_content(message: Message, originals: Mapping[int, Part]) -> list[Part]:
    """Return the parts of the content of *message*, as :func:`write_turn` does."""
    return [*_content_parts(message.get("content"), originals)]


def write_result(
    message: Message, original: Part | None, name: str, call_id: str | None, originals: Mapping[int, Part]
) -> Part:
    """Return the function response for a result of the call *call_id* of *name*. A None id is not written.

    *original* is the native part of an unchanged message. That part itself is returned where it names that call and
    holds a JSON object.
    """
    named = {"name": name} if call_id is None else {"id": call_id, "name": name}
    if original is None:
        return {"functionResponse": {**named, **_result_fields(message, originals)}}
    data = data_of(original)
    given = data.value if isinstance(data.value, dict) else {}
    if answers_call(original, name, call_id) and isinstance(given.get("response"), dict):
        return without_other_data(original, data)
    response = {key: value for key, value in given.items() if key not in ("id", "name")}
    if not isinstance(response.get("response"), dict):
        response |= _result_fields(message, originals)
    return {**without_other_data(original, data), data.key: {**named, **response}}


def answers_call(part: Part, name: str, call_id: str | None) -> bool:
    """Tell whether a function response names the call *call_id* of *name*."""
    given = data_of(part).value
    return isinstance(given, dict) and (given.get("id") or None) == call_id and given.get("name") == name


def write_call(call: Message, unnamed: set[str]) -> Part:
    """Return a new part for *call*. An id of *unnamed* is not written."""
    function = function_of(call)
    arguments = function.get("arguments") or ""
    args = parse_arguments(arguments)
    written: Part = {
        "name": function.get("name") or "",
        "args": {RAW_ARGUMENTS: arguments} if args is None else args,
    }
    call_id = call.get("id")
    if call_id and call_id not in unnamed:
        written = {"id": call_id, **written}
    part: Part = {"functionCall": written}
    signature = signature_of_call(call)
    if signature is not None:
        part["thoughtSignature"] = signature
    return part


def _content_parts(content: Any, originals: Mapping[int, Part]) -> Iterator[Part]:
    if isinstance(content, str):
        if content:
            yield {"text": content}
        return
    for said in metered(content or ()):
        original = originals.get(id(said))
        if original is not None:
            yield without_other_data(original, data_of(original))
        elif said["type"] == "text":
            if said.get("text"):
                yield {"text": said["text"]}
        else:
            yield _inline_data(said)


def _result_fields(message: Message, originals: Mapping[int, Part]) -> Part:
    content = message.get("content")
    if not isinstance(content, list):
        return {"response": _struct(content or "")}
    texts = [
        said.get("text") or "" for said in content if said["type"] == "text" and id(said) not in originals
    ]
    others = [said for said in content if said["type"] != "text" or id(said) in originals]
    fields: Part = {"response": _struct("".join(texts))}
    if others:
        fields["parts"] = [*_content_parts(others, originals)]
    return fields


def _struct(text: str) -> Part:
    value = parse_arguments(text) if text.lstrip()[:1] == "{" else None
    return {RESULT_KEY: text} if value is None else value


def _inline_data(part: Message) -> Part:
    media = read_media(part)
    if not isinstance(media, Inline) or not media.encoded:
        raise Unrepairable(
            f"A part of type '{part['type']}' does not carry its bytes as a base64 data: URL.",
            rule="media_unreadable",
            param="contents",
        )
    return {"inlineData": {"mimeType": media.kind, "data": media.text[media.start :]}}
