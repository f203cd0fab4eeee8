"""The publicly reported broken histories as messages of Anthropic's API, and what a client gets for them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import httpx

from tests.process.running import Served
from tests.support.messages_grammar import find_message_faults, find_stream_faults

Json = dict[str, Any]

VERSION = "2023-06-01"
_REMINDER = re.compile(r"<system-reminder>\n(.*?)\n</system-reminder>", re.DOTALL)


def write_messages(history: Sequence[Mapping[str, Any]], *, joined: bool = True) -> Json:
    """Return the fields ``system`` and ``messages`` of a chat history, broken as it is.

    With *joined*, neighbouring results are blocks of one message, as Anthropic's clients send them.
    """
    head = next((index for index, one in enumerate(history) if one["role"] != "system"), 0)
    fields: Json = {"system": [_text(one["content"]) for one in history[:head]]} if head else {}
    written: list[Json] = []
    for role, group in groupby(history[head:], lambda one: one["role"]):
        messages = [_message(one) for one in group]
        if role == "tool" and joined:
            messages = [{"role": "user", "content": [block for one in messages for block in one["content"]]}]
        written += messages
    return {**fields, "messages": written}


def as_chats(messages: Sequence[Mapping[str, Any]]) -> list[Json]:
    """Return a chat message for each message, with the same texts, results and images.

    A message with results is one of a tool. A result that is a JSON object is an object in place of a text.
    """
    return [
        {"role": "tool" if _has_results(one) else one["role"], "content": list(_parts(one.get("content")))}
        for one in messages
    ]


def _has_results(message: Mapping[str, Any]) -> bool:
    content = message.get("content")
    blocks = content if isinstance(content, list) else ()
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _message(message: Mapping[str, Any]) -> Json:
    content, role = message.get("content"), message["role"]
    if role == "tool":
        result = {"type": "tool_result", "tool_use_id": message.get("tool_call_id")}
        return {"role": "user", "content": [{**result, "content": _content(content)}]}
    calls = message.get("tool_calls") or ()
    if not calls:
        return {"role": role, "content": "" if content is None else _content(content)}
    blocks = [_text(content)] if isinstance(content, str) else []
    for call in calls:
        blocks += _thought(call)
        called = call["function"]
        used = {"type": "tool_use", "id": call.get("id"), "name": called["name"]}
        blocks.append({**used, "input": json.loads(called["arguments"])})
    return {"role": role, "content": blocks}


def _thought(call: Mapping[str, Any]) -> list[Json]:
    """Return a thinking block with the signature of a call, as another proxy might have sent it."""
    google = (call.get("extra_content") or {}).get("google")
    return [{"type": "thinking", "thinking": "", "signature": google["thought_signature"]}] if google else []


def _text(value: str) -> Json:
    return {"type": "text", "text": value}


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [_image(part["image_url"]["url"]) if part["type"] == "image_url" else part for part in content]


def _image(url: str) -> Json:
    media_type, _, data = url.removeprefix("data:").partition(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def _parts(content: Any) -> Iterator[Json]:
    if isinstance(content, str):
        yield _text(content)
        return
    for block in content or ():
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text":
            yield block
        elif block.get("type") == "tool_result":
            for part in _parts(block.get("content")):
                yield {**part, "text": _object_in(part["text"])} if "text" in part else part
        elif block.get("type") == "image" and block["source"]["type"] == "base64":
            url = f"data:{block['source']['media_type']};base64,{block['source']['data']}"
            yield {"type": "image_url", "image_url": {"url": url}}


def _object_in(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def request_of(model: str, fields: Mapping[str, Any], tools: Sequence[str], *, stream: bool = False) -> Json:
    """Return a request with the fields ``system`` and ``messages``, which declares tools by the names of *tools*."""
    request: Json = {"model": model, "max_tokens": 1024, **fields, "stream": stream}
    schema = {"type": "object", "properties": {}}
    if tools:
        request["tools"] = [{"name": name, "description": name, "input_schema": schema} for name in tools]
    return request


def ask(http: httpx.Client, served: Served, request: Json, **headers: str) -> httpx.Response:
    """Send a request for a message, and read the answer to its end."""
    sent = {"anthropic-version": VERSION, **headers}
    return http.post(f"{served.base_url}/messages", content=json.dumps(request).encode(), headers=sent)


def unwrapped(texts: Sequence[Any]) -> list[Any]:
    """Return *texts*, those that arrived, with the words of reminders in the place of the reminders."""
    return [_REMINDER.sub(r"\1", text) if isinstance(text, str) else text for text in texts]


def answer_faults(answer: httpx.Response) -> list[str]:
    """Return the faults of an answer: an error, or what is wrong with the message or its stream."""
    if answer.status_code != 200:
        return [answer.text]
    if answer.headers["content-type"].startswith("text/event-stream"):
        return find_stream_faults(answer.content) + _failures(answer.text)
    return find_message_faults(answer.json())


def _failures(text: str) -> list[str]:
    return [] if "event: message_stop\n" in text else [text[-500:]]


def changes_of(http: httpx.Client, served: Served, request: Json) -> list[Json]:
    """Return the changes that the proxy makes, with the indexes of messages."""
    address = f"{served.base_url}/explain?format=anthropic_messages"
    headers = {"anthropic-version": VERSION}
    answer = http.post(address, content=json.dumps(request).encode(), headers=headers).raise_for_status()
    changes: list[Json] = answer.json()["changes"]
    return changes
