"""Read contents as chat messages.

A content is one message, with two exceptions. Each function response is a message of its own. A call or response under
the wrong role becomes a message of the right role. Messages hold no thoughts, no empty texts, and no fields unknown to
chat messages. These stay in the native parts.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from typing import Any

from sanitizers.messages import Message
from sanitizers.native.gemini.parts import (
    Data,
    Part,
    data_of,
    is_thought,
    nested_parts,
    parts_of,
    refuse,
    signature_of,
    signed,
    text_at,
)
from sanitizers.native.protocol import Items, Projection, Span
from sanitizers.record import record
from sanitizers.synthetic import DerivedIds
from sanitizers.work_limit import metered

MODEL_ROLES = ("assistant", "model")
"""Roles that are read as the model's. Any other value that a client writes is read as the user's."""

_SAID_ALONE = frozenset({"content", "output", "result"})
"""Keys of a response whose text becomes the result, if the response has no other key.

``error`` is not among them, since a text alone would hide the error.
"""


@record
class GeminiProjection(Projection):
    """Contents as messages, with the data that is needed to write the contents again.

    *parts* are the native parts of each message. *originals* maps the ``id()`` of a content part or a call, which the
    messages keep alive, to its native part. *unnamed* are the derived ids of calls that have no id in the contents.
    """

    parts: list[list[Part]]
    originals: dict[int, Part]
    unnamed: set[str]


def project_contents(native: Items) -> GeminiProjection:
    """Return *native* as messages.

    A call without an id gets a derived one. A response without a known id gets the id of the first unanswered call of
    its name, in the model's content before it. Raises :class:`~sanitizers.errors.Unrepairable` for what is no list of
    contents.
    """
    projector = _Projector(native)
    for index, content in enumerate(metered(native)):
        projector.add(index, parts_of(content, index), content.get("role"))
    return projector.done


class _OpenCalls:
    """The calls of one model content, and which of them have a response."""

    def __init__(self, calls: list[Message]) -> None:
        self._ids = {call["id"] for call in calls}
        self._answered: set[str] = set()
        self._by_name: dict[str, deque[str]] = defaultdict(deque)
        for call in calls:
            self._by_name[call["function"]["name"]].append(call["id"])

    def take(self, response_id: str, name: str) -> str | None:
        """Return the id of the call that a response answers, or None where the later steps have to find that call."""
        if response_id not in self._ids:
            waiting = self._by_name.get(name)
            while waiting and waiting[0] in self._answered:
                waiting.popleft()
            if not waiting:
                return None
            response_id = waiting.popleft()
        self._answered.add(response_id)
        return response_id


class _Projector:
    """Reads one content after the other."""

    def __init__(self, native: Items) -> None:
        self.done = GeminiProjection([], [], [], {}, set())
        self._ids = DerivedIds(_ids_in(native))
        self._open = _OpenCalls([])

    def add(self, index: int, parts: list[Part], role: Any) -> None:
        """Add the messages of the content at *index*."""
        first = len(self.done.messages)
        side = "assistant" if role in MODEL_ROLES else "user"
        for kind, own in _split(parts, side):
            message = self._result(own[0]) if kind == "tool" else self._turn(kind, own, index)
            self.done.messages.append(message)
            self.done.parts.append(own)
        self.done.spans.append(Span(range(index, index + 1), range(first, len(self.done.messages))))

    def _turn(self, role: str, parts: list[Part], index: int) -> Message:
        content: list[Message] = []
        calls: list[Message] = []
        bare = False
        for part in metered(parts):
            data = data_of(part)
            if data.kind == "functionCall":
                made = self._call(part, data, index, len(calls))
                calls.append(made)
            elif (said := _content_part(part, data, media=role == "user")) is not None:
                made = said
                content.append(made)
                bare = part.keys() == {"text"}
            else:
                continue
            self.done.originals[id(made)] = part
        if len(content) == 1 and bare:  # a text in its usual form; the part is forgotten with its id()
            del self.done.originals[id(content[0])]
            message: Message = {"role": role, "content": content[0]["text"]}
        else:
            message = {"role": role, "content": content or (None if calls else "")}
        if role == "assistant":
            self._open = _OpenCalls(calls)
        if calls:
            message["tool_calls"] = calls
        return message

    def _call(self, part: Part, data: Data, index: int, number: int) -> Message:
        given = data.value if isinstance(data.value, dict) else {}
        name, call_id = text_at(given, "name"), text_at(given, "id")
        if not call_id:
            call_id = self._ids.derive(index, number, name)
            self.done.unnamed.add(call_id)
        args = given.get("args")
        function = {"name": name, "arguments": "{}" if args is None else as_json(args)}
        return signed({"id": call_id, "type": "function", "function": function}, signature_of(part))

    def _result(self, part: Part) -> Message:
        given = data_of(part).value
        response: Part = given if isinstance(given, dict) else {}
        name, response_id = text_at(response, "name"), text_at(response, "id")
        answered = self._open.take(response_id, name)
        message: Message = {"role": "tool"}
        if answered or response_id:
            message["tool_call_id"] = answered or response_id
        if not answered and name:
            message["name"] = name  # the pipeline looks for its call by name and place
        message["content"] = self._result_content(response)
        return message

    def _result_content(self, response: Part) -> str | list[Message]:
        text = _response_text(response.get("response"))
        nested: list[Message] = []
        for part in nested_parts(response):
            made = _content_part(part, data_of(part), media=True)
            if made is not None:
                self.done.originals[id(made)] = part
                nested.append(made)
        return [{"type": "text", "text": text}, *nested] if nested else text


def _ids_in(native: Items) -> set[str]:
    """Return all ids of calls and responses, which derived ids must not equal."""
    taken = set()
    for index, content in enumerate(metered(native)):
        for part in metered(parts_of(content, index)):
            data = data_of(part)
            if data.kind in ("functionCall", "functionResponse") and isinstance(data.value, dict):
                taken.add(text_at(data.value, "id"))
    return taken


def _split(parts: list[Part], side: str) -> list[tuple[str, list[Part]]]:
    """Return the parts of one content by the role of the message that they belong to, in their order.

    Responses come before the user's texts of the same content, since a result must follow its call directly. A content
    without parts is one empty message.
    """
    split: list[tuple[str, list[Part]]] = []
    for part in metered(parts):
        kind = data_of(part).kind
        role = {"functionCall": "assistant", "functionResponse": "tool"}.get(kind, side)
        if role == "tool" and split and split[-1][0] == "user":
            split.insert(len(split) - 1, (role, [part]))
        elif role != "tool" and split and split[-1][0] == role:
            split[-1][1].append(part)
        else:
            split.append((role, [part]))
    return split or [(side, [])]


def _content_part(part: Part, data: Data, *, media: bool) -> Message | None:
    """Return the content part of a chat message for *part*, or None where no message carries it.

    With *media*, inline bytes become a media part. Without *media*, a text names their type. Other data becomes a text
    that describes or holds it.
    """
    if is_thought(part) or not data.kind:
        return None
    if data.kind == "text":
        return {"type": "text", "text": data.value} if data.value else None
    value = data.value if isinstance(data.value, dict) else {}
    mime_type = text_at(value, "mimeType", "mime_type")
    if data.kind == "inlineData":
        if media:
            return _media(mime_type, text_at(value, "data"))
        return {"type": "text", "text": f"[{mime_type or 'media'}]"}
    if data.kind == "fileData":
        address = text_at(value, "fileUri", "file_uri")
        return {"type": "text", "text": f"[File {address} {mime_type}".rstrip() + "]"}
    if data.kind == "executableCode":
        language = text_at(value, "language").lower()
        return {"type": "text", "text": f"```{language}\n{text_at(value, 'code')}\n```"}
    if data.kind == "codeExecutionResult":
        return {"type": "text", "text": f"```\n{text_at(value, 'output')}\n```"}
    return {"type": "text", "text": f"```json\n{as_json(value)}\n```"}


def _media(mime_type: str, data: str) -> Message:
    if mime_type.startswith("audio/"):
        return {"type": "input_audio", "input_audio": {"data": data, "format": mime_type[len("audio/") :]}}
    url = f"data:{mime_type};base64,{data}"
    if mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {"file_data": url}}


def _response_text(response: Any) -> str:
    """Return a response as the text of a result: the text under one of the usual keys, or else the JSON."""
    if response is None:
        return ""
    if isinstance(response, str):
        return response
    if isinstance(response, dict) and len(response) == 1:
        [(key, value)] = response.items()
        if key in _SAID_ALONE and isinstance(value, str):
            return value
    return as_json(response)


def as_json(value: Any) -> str:
    """Return *value* as JSON. Raises :class:`~sanitizers.errors.Unrepairable` where it is nested too deep."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        refuse("contents", "is nested too deep")
