"""Reads a whole message of Anthropic's API as a chat completion."""

from __future__ import annotations

from typing import Any

from proxy.core.canonical_chat import THINKING_LAYOUT
from proxy.core.json_text import write_json
from proxy.core.upstream_call import Answer
from proxy.upstream.wires.anthropic.finishing import finish_reason, raise_broken_off
from proxy.upstream.wires.anthropic.layout import Layout
from proxy.upstream.wires.anthropic.refusals import raise_error, refuse_message
from proxy.upstream.wires.anthropic.usage import read_usage


def read_message(message: Any, *, thinks: bool = False) -> Answer:
    """Return *message*, a decoded body, as a chat completion. *thinks* is true where the request asked for thoughts.

    Texts are joined, and so are thoughts. The thoughts with their signatures and places are under ``THINKING_LAYOUT``,
    which also says that calls have none. Blocks of tools that the provider runs itself have no form in a chat. Raises
    :class:`proxy.core.errors.UpstreamFault` for an error and for a body that is no whole message.
    """
    raise_error(message)
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        refuse_message()
    reason = message.get("stop_reason")
    if reason is None:
        raise_broken_off()
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    layout = Layout()
    for block in content:
        if not isinstance(block, dict):
            refuse_message()
        kind = block.get("type")
        if kind == "text":
            text = _text(block, "text")
            texts.append(text)
            layout.add_text(text)
        elif kind == "thinking":
            thoughts.append(_text(block, "thinking"))
            layout.add_thought(block)
        elif kind == "redacted_thinking":
            layout.add_thought(block)
        elif kind == "tool_use":
            calls.append(_read_call(block))
            layout.add_call(calls[-1]["id"])
    said: dict[str, Any] = {"role": "assistant", "content": "".join(texts) if texts else None}
    if any(thoughts):
        said["reasoning_content"] = "".join(thoughts)
    if calls:
        said["tool_calls"] = calls
    if layout.has_thoughts or (thinks and calls):
        said[THINKING_LAYOUT] = layout.as_value()
    answer: Answer = {
        "id": message.get("id"),
        "object": "chat.completion",
        "model": message.get("model"),
        "choices": [{"index": 0, "message": said, "finish_reason": finish_reason(reason)}],
    }
    usage = message.get("usage")
    if isinstance(usage, dict) and (counts := read_usage(usage)) is not None:
        answer["usage"] = counts
    return answer


def _read_call(block: dict[str, Any]) -> dict[str, Any]:
    given = block.get("input")
    arguments = given if isinstance(given, str) else write_json({} if given is None else given).decode()
    function = {"name": _text(block, "name"), "arguments": arguments}
    return {"id": _text(block, "id"), "type": "function", "function": function}


def _text(block: dict[str, Any], name: str) -> str:
    text = block.get(name)
    if not isinstance(text, str):
        refuse_message()
    return text
