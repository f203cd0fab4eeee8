"""Reads the output items of a response as one chat message, and each item as the part of it that the item holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from proxy.upstream.wires.openai_responses.failures import refuse_response
from sanitizers import Unrepairable
from sanitizers.native.responses.client_tools import CLIENT_TOOLS, action_arguments
from sanitizers.native.responses.tool_table import ToolTable
from sanitizers.record import record

_NAMED_CALLS = frozenset({"custom_tool_call", "function_call"})
_CLIENT_CALLS = frozenset(f"{kind}_call" for kind in CLIENT_TOOLS)

CALLS = _NAMED_CALLS | _CLIENT_CALLS
"""Types of the items that are a call which the client answers. Other items have no form in a chat."""


def is_call(item: Any) -> bool:
    """Tell whether *item* is one of :data:`CALLS`."""
    return isinstance(item, dict) and isinstance(kind := item.get("type"), str) and kind in CALLS


def list_of(value: Any) -> Iterable[Any]:
    """Return *value* if it is a list, or else nothing."""
    return value if isinstance(value, list) else ()


@record
class CallNames:
    """Finds the flat names of calls. *table* is the client's, or None for a client that has flat names itself."""

    table: ToolTable | None

    def flat_name(self, item: Mapping[str, Any]) -> str:
        """Return the chat name of the tool that *item*, one of :data:`CALLS`, calls."""
        kind, table = item["type"], self.table
        if kind not in _NAMED_CALLS:
            tool = kind.removesuffix("_call")
            return tool if table is None else table.client_name(tool)
        name = item.get("name")
        if not isinstance(name, str):
            refuse_response()
        namespace = item.get("namespace")
        if namespace is not None and not isinstance(namespace, str):
            refuse_response()
        return name if table is None else table.flat_name(name, namespace)


def call_id_of(item: Mapping[str, Any]) -> str:
    """Return the id by which the client answers the call in *item*."""
    found = item.get("call_id") or item.get("id")
    if not isinstance(found, str):
        refuse_response()
    return found


def arguments_of(item: Mapping[str, Any]) -> str:
    """Return the arguments of the call in *item*, as JSON where the item has another form."""
    kind = item["type"]
    if kind == "function_call":
        arguments = item.get("arguments")
        return arguments if isinstance(arguments, str) else ""
    if kind == "custom_tool_call":
        text = item.get("input")
        return json.dumps({"input": text if isinstance(text, str) else ""}, ensure_ascii=False)
    try:
        return action_arguments(kind.removesuffix("_call"), dict(item), "output")
    except Unrepairable:
        refuse_response()


def read_message(output: Iterable[Any], names: CallNames, separator: str = "") -> dict[str, Any]:
    """Return the chat message of the items in *output*. What a chat cannot hold is left out.

    The texts of several messages are joined with *separator*. Raises
    :class:`proxy.core.errors.UpstreamFault` for items that cannot be read.
    """
    message: dict[str, Any] = {"role": "assistant", "content": None}
    calls: list[dict[str, Any]] = []
    for item in output:
        if not isinstance(item, dict):
            refuse_response()
        kind = item.get("type")
        if kind == "message":
            before = message["content"]
            _add_parts(message, list_of(item.get("content")))
            if separator and before and (added := message["content"][len(before) :]):
                message["content"] = f"{before}{separator}{added}"
        elif kind == "reasoning":
            for part in (*list_of(item.get("summary")), *list_of(item.get("content"))):
                _add_text(message, "reasoning_content", part, "text")
        elif is_call(item):
            function = {"name": names.flat_name(item), "arguments": arguments_of(item)}
            calls.append({"id": call_id_of(item), "type": "function", "function": function})
    if calls:
        message["tool_calls"] = calls
    return message


def read_delta(output: Iterable[Any], names: CallNames, separator: str = "") -> dict[str, Any]:
    """Return the message of :func:`read_message` as the one delta of a stream."""
    message = read_message(output, names, separator)
    delta = {name: value for name, value in message.items() if value and name != "role"}
    if calls := message.get("tool_calls"):
        delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(calls)]
    return delta


def read_logprobs(output: Iterable[Any]) -> list[Any]:
    """Return the log probabilities of the texts in *output*, the items of a response that was read."""
    return [
        token
        for item in output
        if item.get("type") == "message"
        for part in list_of(item.get("content"))
        for token in list_of(part.get("logprobs"))
    ]


def read_citation(annotation: Any) -> dict[str, Any] | None:
    """Return *annotation* of a text as chat has it, or None for one that chat does not have."""
    if not isinstance(annotation, dict) or annotation.get("type") != "url_citation":
        return None
    inner = {name: value for name, value in annotation.items() if name != "type"}
    return {"type": "url_citation", "url_citation": inner}


def text_in(event: Mapping[str, Any], name: str) -> str:
    """Return the text under *name* of *event*. Raises :class:`proxy.core.errors.UpstreamFault` for any other value."""
    text = event.get(name)
    if not isinstance(text, str):
        refuse_response()
    return text


def logprobs_in(event: Mapping[str, Any]) -> list[Any] | None:
    """Return the log probabilities of *event*, or None where it has none."""
    given = event.get("logprobs")
    return given if isinstance(given, list) else None


def _add_parts(message: dict[str, Any], parts: Iterable[Any]) -> None:
    for part in parts:
        if not isinstance(part, dict):
            refuse_response()
        if part.get("type") == "refusal":
            _add_text(message, "refusal", part, "refusal")
            continue
        _add_text(message, "content", part, "text")
        cited = [found for one in list_of(part.get("annotations")) if (found := read_citation(one))]
        if cited:
            message.setdefault("annotations", []).extend(cited)


def _add_text(message: dict[str, Any], name: str, part: Any, field: str) -> None:
    text = part.get(field) if isinstance(part, dict) else None
    if isinstance(text, str):
        message[name] = (message.get(name) or "") + text
