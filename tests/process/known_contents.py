"""The publicly reported broken histories as ``contents`` of Gemini's API, and what a client gets for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

import httpx

from tests.process.running import Served
from tests.support.gemini_grammar import find_answer_faults, find_array_faults, find_stream_faults

Json = dict[str, Any]

FREE = frozenset({"args", "response", "parameters", "parametersJsonSchema"})
"""Fields whose values have names of the client's. They are never spelled in another way."""

SAID_ALONE = ("output", "result")


def write_contents(history: Sequence[Mapping[str, Any]], *, joined: bool = True) -> Json:
    """Return the fields ``systemInstruction`` and ``contents`` of a chat history, broken as it is.

    With *joined*, neighbouring results are parts of one content, as Gemini's clients send them.
    """
    head = next((index for index, one in enumerate(history) if one["role"] != "system"), 0)
    parts = [{"text": one["content"]} for one in history[:head]]
    fields: Json = {"systemInstruction": {"parts": parts}} if parts else {}
    names = {
        call.get("id"): call["function"]["name"]
        for one in history
        for call in one.get("tool_calls") or ()
        if call.get("id")
    }
    written: list[Json] = []
    for role, group in groupby(history[head:], lambda one: one["role"]):
        contents = [_content(one, names) for one in group]
        if role == "tool" and joined:
            contents = [{"role": "user", "parts": [part for one in contents for part in one["parts"]]}]
        written += contents
    return {**fields, "contents": written}


def spelled(value: Any) -> Any:
    """Return a request with its names in snake case, at any depth but for what is the client's own."""
    if isinstance(value, list):
        return [spelled(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {_snake(key): each if key in FREE else spelled(each) for key, each in value.items()}


def as_chats(contents: Sequence[Any]) -> list[Json]:
    """Return a chat message for each content, with the same texts, results and images. Thoughts are left out.

    A content with responses is a message of a tool. A result that is a JSON object is an object in place of a text.
    """
    return [_chat(_parts_of(one)) for one in contents]


def _parts_of(content: Mapping[str, Any]) -> list[Json]:
    parts = content.get("parts") or []
    return parts if isinstance(parts, list) else [parts]


def _chat(parts: Sequence[Mapping[str, Any]]) -> Json:
    has_response = any(_at(part, "functionResponse") is not None for part in parts)
    return {"role": "tool" if has_response else "user", "content": [*_said(parts)]}


def _said(parts: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    for part in parts:
        response, blob = _at(part, "functionResponse"), _at(part, "inlineData")
        if part.get("text") and not part.get("thought"):
            yield {"type": "text", "text": part["text"]}
        elif isinstance(response, dict):
            yield {"type": "text", "text": _result(response.get("response"))}
            yield from _said(response.get("parts") or ())
        elif isinstance(blob, dict):
            url = f"data:{_at(blob, 'mimeType')};base64,{blob['data']}"
            yield {"type": "image_url", "image_url": {"url": url}}


def _result(response: Any) -> Any:
    """Return a response as the object or the text that is expected at a provider."""
    if isinstance(response, dict) and len(response) == 1:
        [(key, value)] = response.items()
        if key in SAID_ALONE and isinstance(value, str):
            return _object_in(value)
    return response if isinstance(response, dict | str | None) else json.dumps(response)


def _at(holder: Mapping[str, Any], name: str) -> Any:
    """Return the value of a field in either spelling."""
    return holder.get(name, holder.get(_snake(name)))


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda found: f"_{found[0].lower()}", name)


def _content(message: Mapping[str, Any], names: Mapping[str, str]) -> Json:
    content, role = message.get("content"), message["role"]
    if role == "tool":
        return {"role": "user", "parts": [{"functionResponse": _response(message, names)}]}
    parts = [] if content is None else _content_parts(content)
    parts += map(_call, message.get("tool_calls") or ())
    return {"role": {"assistant": "model"}.get(role, role), "parts": parts}


def _call(call: Mapping[str, Any]) -> Json:
    called = call["function"]
    used = {"id": call["id"]} if call.get("id") else {}
    part: Json = {"functionCall": {**used, "name": called["name"], "args": json.loads(called["arguments"])}}
    google = (call.get("extra_content") or {}).get("google")
    return part | ({"thoughtSignature": google["thought_signature"]} if google else {})


def _response(message: Mapping[str, Any], names: Mapping[str, str]) -> Json:
    call_id, parts = message.get("tool_call_id"), _content_parts(message.get("content"))
    texts = [part["text"] for part in parts if "text" in part]
    media = [part for part in parts if "text" not in part]
    given = _object_in(texts[0]) if len(texts) == 1 else texts or ""
    return {
        **({"id": call_id} if call_id else {}),
        "name": names.get(call_id or "", message.get("name") or "f"),
        "response": given if isinstance(given, dict) else {"output": given},
        **({"parts": media} if media else {}),
    }


def _content_parts(content: Any) -> list[Json]:
    if not isinstance(content, list):
        return [{"text": content}]
    return [
        _image(part["image_url"]["url"]) if part["type"] == "image_url" else {"text": part["text"]}
        for part in content
    ]


def _image(url: str) -> Json:
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    return {"inlineData": {"mimeType": media_type, "data": data}}


def _object_in(text: Any) -> Any:
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return text
    return value if isinstance(value, dict) else text


def request_of(fields: Mapping[str, Any], tools: Sequence[str]) -> Json:
    """Return a request with the fields of a history, which declares functions by the names of *tools*."""
    request: Json = {**fields, "generationConfig": {"maxOutputTokens": 1024}}
    schema = {"type": "OBJECT", "properties": {}}
    if tools:
        declared = [{"name": name, "description": name, "parameters": schema} for name in tools]
        request["tools"] = [{"functionDeclarations": declared}]
    return request


def address_of(served: Served, model: str, method: str) -> str:
    """Return the address of a method of a model."""
    return f"{served.base_url.removesuffix('/v1')}/v1beta/models/{quote(model, safe='')}:{method}"


def ask(http: httpx.Client, served: Served, model: str, request: Json, form: str = "whole") -> httpx.Response:
    """Send a request, and read the answer to its end: ``whole``, as ``events``, or as an ``array``."""
    method = "generateContent" if form == "whole" else "streamGenerateContent"
    query = "?alt=sse" if form == "events" else ""
    return http.post(address_of(served, model, method) + query, content=json.dumps(request).encode())


def answer_faults(answer: httpx.Response, *, relayed: bool = False) -> list[str]:
    """Return the faults of an answer: an error, or what is wrong with the answer or its stream."""
    if answer.status_code != 200:
        return [answer.text]
    failures = [answer.text[-500:]] if '"error"' in answer.text else []
    if answer.headers["content-type"].startswith("text/event-stream"):
        return find_stream_faults(answer.content, relayed=relayed) + failures
    if answer.content.lstrip().startswith(b"["):
        return find_array_faults(answer.content, relayed=relayed) + failures
    return find_answer_faults(answer.json(), relayed=relayed)


def changes_of(http: httpx.Client, served: Served, model: str, request: Json) -> list[Json]:
    """Return the changes that the proxy makes, with the indexes of contents."""
    address = f"{served.base_url}/explain?format=gemini_native"
    body = json.dumps({"model": model, **request}).encode()
    changes: list[Json] = http.post(address, content=body).raise_for_status().json()["changes"]
    return changes
