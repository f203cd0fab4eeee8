"""Compares a history with what a provider got of it.

A text counts as delivered when it is a text value of the request, or one of the pieces that repairs join with an
empty line. Each delivered text is used up once: two equal results have to arrive twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sanitizers.merging import SEPARATOR

History = Sequence[Mapping[str, Any]]


def said(messages: History) -> list[tuple[int, Any]]:
    """Return the index and the value of each text in a history.

    A result that is a JSON object is returned as an object.
    """
    found: list[tuple[int, Any]] = []
    for index, message in enumerate(messages):
        content = message.get("content")
        if isinstance(content, str):
            found.append((index, _object_in(content) if message["role"] in ("tool", "function") else content))
        elif isinstance(content, list):
            found += [(index, part["text"]) for part in content if part["type"] == "text"]
    return [(index, value) for index, value in found if value not in (None, "", {})]


def at_gemini(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts in ``contents`` and the system instruction, and the objects in function responses."""
    instruction = body.get("systemInstruction") or body.get("system_instruction") or {}
    values: list[Any] = []
    for content in (instruction, *body["contents"]):
        for part in content.get("parts", ()):
            if "text" in part:
                values.append(part["text"])
            response = (part.get("function_response") or part.get("functionResponse") or {}).get("response")
            if response is not None:
                values += [response, *_strings(response)]
    return values


def at_openai(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts in ``messages``. A result that is a JSON object is returned as an object."""
    return [value for _, value in said(body["messages"])]


def at_anthropic(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts in ``messages`` and ``system``, and the results. A JSON object stays an object."""
    system = body.get("system") or []
    values: list[Any] = [system] if isinstance(system, str) else [block["text"] for block in system]
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "text":
                values.append(block["text"])
            elif block["type"] == "tool_result":
                values += _in_result(block.get("content"))
    return values


def at_bedrock(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts in ``messages`` and ``system``, and the results. A JSON object stays an object."""
    values: list[Any] = [block["text"] for block in body.get("system") or () if "text" in block]
    for message in body["messages"]:
        for block in message["content"]:
            if "text" in block:
                values.append(block["text"])
            for part in (block.get("toolResult") or {}).get("content") or ():
                values += [part["json"]] if "json" in part else _in_result(part.get("text"))
    return values


def at_responses(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts and results in ``input``, and the instructions. A JSON object stays an object too."""
    values = _in_result(body.get("instructions"))
    for item in body["input"]:
        held = item.get("content", item.get("output"))
        for text in [held] if isinstance(held, str) else [part.get("text") for part in held or ()]:
            values += _in_result(text)
    return values


def at_ollama(body: Mapping[str, Any]) -> list[Any]:
    """Return the texts in ``messages``. A text that is a JSON object is returned as an object too."""
    return [value for message in body["messages"] for value in _in_result(message.get("content"))]


def silently_lost(
    messages: History, arrived: Sequence[Any], changes: Sequence[Mapping[str, Any]]
) -> list[tuple[int, Any]]:
    """Return the index and the text of each text in *messages* that *arrived* lacks and no change reports.

    A change reports a loss if it has the message's index, a reason, and the kind dropped or replaced. For models
    without call ids, identical calls are merged into one, and so are their results. A result then counts as delivered
    if it is a piece of an arrived text.
    """
    told = {
        change["index"]
        for change in changes
        if change["kind"] in ("dropped", "replaced") and change["reason"]
    }
    left = list(arrived)
    if any(change["reason"] == "identical_call" for change in changes):
        pieces = "\0".join(value for value in arrived if isinstance(value, str))
        told |= {
            index
            for index, value in said(messages)
            if messages[index]["role"] == "tool" and str(value) in pieces
        }
    # Longest first, since a short text may be a piece of a long one.
    ordered = sorted(said(messages), key=lambda item: len(str(item[1])), reverse=True)
    return [(index, value) for index, value in ordered if index not in told and not _take(value, left)]


def _take(value: Any, left: list[Any]) -> bool:
    if value in left:
        left.remove(value)
        return True
    if not isinstance(value, str):
        return False
    for at, found in enumerate(left):
        if not isinstance(found, str):
            continue
        before, here, after = f"{SEPARATOR}{found}{SEPARATOR}".partition(f"{SEPARATOR}{value}{SEPARATOR}")
        if here:
            left[at : at + 1] = [before.removeprefix(SEPARATOR), after.removesuffix(SEPARATOR)]
            return True
    return False


def _in_result(content: Any) -> list[Any]:
    """Return a text, then its JSON object if the text is one, since tool results are compared as objects."""
    if isinstance(content, list):
        return [value for block in content if block["type"] == "text" for value in _in_result(block["text"])]
    if not isinstance(content, str):
        return []
    value = _object_in(content)
    return [content] if value == content else [content, value]


def _object_in(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
