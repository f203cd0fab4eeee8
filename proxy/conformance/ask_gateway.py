"""Writes a case as a chat request. A marker in the history identifies the request when the gateway passes it on.

Gateways drop headers and unknown parameters. So the marker is a part of the history's text, which reaches the provider
with the history.
"""

from __future__ import annotations

from typing import Any

from proxy.conformance.case import Case

_ROLES = ("user", "system", "developer", "assistant")
"""Roles whose texts can take the marker, in order of preference. A tool result cannot, since it may be JSON."""


def marker_of(case: Case, run: str) -> str:
    """Return the text that identifies *case* in *run*.

    It holds only ASCII characters that JSON does not escape, so that it can be searched in a body.

    *run* differs from run to run, so that a gateway cannot answer from its cache.
    """
    return f"[conform {case.id} {run}]"


def chat_request(case: Case, model: str, run: str) -> dict[str, Any]:
    """Return the body for ``POST /v1/chat/completions``. Raises ValueError where no text can take the marker."""
    request: dict[str, Any] = {"model": model, "messages": _marked(case, marker_of(case, run))}
    if case.tools:
        request["tools"] = [_declaration(name) for name in case.tools]
    return request


def _marked(case: Case, marker: str) -> list[dict[str, Any]]:
    """Return the messages with *marker* after the first text of the first role in ``_ROLES`` that has a text."""
    for role in _ROLES:
        for index, message in enumerate(case.messages):
            if message["role"] == role and (content := _with_marker(message.get("content"), marker)):
                messages = list(case.messages)
                messages[index] = {**message, "content": content}
                return messages
    raise ValueError(f"{case.id}: no text can take the marker")


def _with_marker(content: Any, marker: str) -> Any:
    """Return *content* with *marker* after its first text that is not blank, or None where there is no such text."""
    if isinstance(content, str):
        return f"{content} {marker}" if content.strip() else None
    for index, part in enumerate(content or ()):
        if part.get("type") == "text" and (text := _with_marker(part["text"], marker)):
            return [*content[:index], {**part, "text": text}, *content[index + 1 :]]
    return None


def _declaration(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"input": {"type": "string"}}}
    function = {"name": name, "description": f"The tool {name}.", "parameters": parameters}
    return {"type": "function", "function": function}
