"""The publicly reported broken histories as items of the Responses API, and what a client gets for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from tests.process.running import Served
from tests.support.responses_grammar import find_response_faults, find_stream_faults

Json = dict[str, Any]


@dataclass(frozen=True)
class Written:
    """An item, and a chat message with the same texts."""

    item: Json
    message: Json


def write_items(messages: Sequence[Mapping[str, Any]]) -> list[Written]:
    """Return the items of a chat history, broken as it is. A call is an item of its own."""
    return [written for message in messages for written in _items_of(message)]


def _items_of(message: Mapping[str, Any]) -> Iterator[Written]:
    content, role = message.get("content"), message["role"]
    if role == "tool":
        item = {"type": "function_call_output", "call_id": message.get("tool_call_id")}
        yield Written({**item, "output": _parts(content)}, {"role": role, "content": content})
        return
    calls = message.get("tool_calls") or ()
    if content is not None or not calls:
        parts = _parts(content) if content is not None else []
        yield Written({"type": "message", "role": role, "content": parts}, {"role": role, "content": content})
    for call in calls:
        more = {name: value for name, value in call.items() if name not in ("id", "type", "function")}
        item = {"type": "function_call", "call_id": call.get("id"), **call["function"], **more}
        yield Written(item, {"role": "assistant", "content": None})


def _parts(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [
        {"type": "input_image", "image_url": part["image_url"]["url"]}
        if part["type"] == "image_url"
        else {"type": "input_text", "text": part["text"]}
        for part in content
    ]


def request_of(model: str, items: Sequence[Json], tools: Sequence[str], *, stream: bool = False) -> Json:
    """Return a request for a response, which declares functions by the names of *tools*."""
    request: Json = {"model": model, "input": list(items), "stream": stream, "store": False}
    schema = {"type": "object", "properties": {}}
    if tools:
        request["tools"] = [
            {"type": "function", "name": name, "description": name, "parameters": schema} for name in tools
        ]
    return request


def ask(http: httpx.Client, served: Served, request: Json) -> httpx.Response:
    """Send a request for a response, and read the answer to its end."""
    return http.post(f"{served.base_url}/responses", content=json.dumps(request).encode())


def answer_faults(answer: httpx.Response) -> list[str]:
    """Return the faults of an answer: an error, or what is wrong with the response or its stream."""
    if answer.status_code != 200:
        return [answer.text]
    if answer.headers["content-type"].startswith("text/event-stream"):
        return find_stream_faults(answer.content) + _failures(answer.text)
    return find_response_faults(answer.json())


def _failures(text: str) -> list[str]:
    return [] if "event: response.completed\n" in text else [text[-500:]]


def changes_of(http: httpx.Client, served: Served, request: Json) -> list[Json]:
    """Return the changes that the proxy makes, with the indexes of items."""
    address = f"{served.base_url}/explain?format=openai_responses"
    explained = http.post(address, content=json.dumps(request).encode()).raise_for_status().json()
    changes: list[Json] = explained["changes"]
    return changes
