"""The fake provider's answers in each provider's format, as bytes."""

from __future__ import annotations

import json
from typing import Any

TEXT = "Done."
_USAGE = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}


def answer_for(path: str, body: bytes) -> bytes:
    """Return an answer in the format of *path*: one JSON body, or all events of a stream."""
    if "streamGenerateContent" in path or b'"stream":true' in body[:200] + body[-200:]:
        return beginning(path) + chunk(path, TEXT) + _end(path)
    return json.dumps(_whole(path, {"role": "assistant", "content": TEXT})).encode()


def beginning(path: str) -> bytes:
    """Return the events of a stream before its first text, which only Anthropic's format has."""
    if not path.endswith("/messages"):
        return b""
    started = {**_message([]), "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 1}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    return _event({"type": "message_start", "message": started}) + _event(block)


def chunk(path: str, text: str) -> bytes:
    """Return one event of a stream with *text*.

    *path* selects Anthropic's format, Gemini's, a chat completion's or a text completion's.
    """
    if path.endswith("/messages"):
        delta = {"type": "text_delta", "text": text}
        return _event({"type": "content_block_delta", "index": 0, "delta": delta})
    if "generatecontent" in path.lower():
        said: dict[str, Any] = {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0}]
        }
    elif path.endswith("/chat/completions"):
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
        said = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    else:
        choice = {"index": 0, "text": text, "finish_reason": None}
        said = {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(said).encode() + b"\n\n"


def call_answer(path: str, arguments: str) -> bytes:
    """Return an answer that calls the tool ``look`` with the unchanged text *arguments*, valid or not."""
    call = {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": arguments}}
    return json.dumps(_whole(path, {"role": "assistant", "content": None, "tool_calls": [call]})).encode()


def signed_call(number: int, size: int) -> bytes:
    """Return Gemini's answer with one signed call. The signature names *number* and has *size* letters."""
    name = f"SIG{number}x"
    part = {
        "functionCall": {"name": "look", "args": {"place": number}},
        "thoughtSignature": name + "A" * (size - len(name)),
    }
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return json.dumps(
        {"candidates": [candidate], "usageMetadata": _GEMINI_USAGE, "modelVersion": "m"}
    ).encode()


_ANTHROPIC_USAGE = {"input_tokens": 10, "output_tokens": 2}
_GEMINI_USAGE = {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12}


def _event(event: dict[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


def _message(content: list[Any]) -> dict[str, Any]:
    said = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content}
    return {**said, "stop_reason": "end_turn", "stop_sequence": None}


def _end(path: str) -> bytes:
    if path.endswith("/messages"):
        end = {"stop_reason": "end_turn", "stop_sequence": None}
        told = {"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}}
        stopped = {"type": "content_block_stop", "index": 0}
        return _event(stopped) + _event(told) + _event({"type": "message_stop"})
    if "generatecontent" in path.lower():
        content = {"role": "model", "parts": [{"text": "."}]}
        last: dict[str, Any] = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
        return b"data: " + json.dumps(last).encode() + b"\n\n"
    choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
    last = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return b"data: " + json.dumps(last).encode() + b"\n\ndata: [DONE]\n\n"


def _whole(path: str, message: dict[str, Any]) -> dict[str, Any]:
    """Return the whole answer in one provider's format, chosen by *path*."""
    if path.endswith("/responses"):
        part = {"type": "output_text", "text": TEXT, "annotations": []}
        said = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
        usage = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
        head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
        return {**head, "output": [said], "usage": usage}
    if "batchEmbedContents" in path:
        return {"embeddings": [{"values": [0.1]}]}
    if "generatecontent" in path.lower():
        parts = [{"text": TEXT}]
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": _GEMINI_USAGE, "modelVersion": "m"}
    if path.endswith("/messages"):
        if calls := message.get("tool_calls"):  # the unchanged text is no object, which Anthropic never sends
            used = {"type": "tool_use", "id": "c", "name": "look", "input": calls[0]["function"]["arguments"]}
            return {**_message([used]), "stop_reason": "tool_use", "usage": _ANTHROPIC_USAGE}
        return {**_message([{"type": "text", "text": TEXT}]), "usage": _ANTHROPIC_USAGE}
    if path.endswith("/converse"):
        output = {"message": {"role": "assistant", "content": [{"text": TEXT}]}}
        usage = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
        return {"output": output, "stopReason": "end_turn", "usage": usage, "metrics": {"latencyMs": 1}}
    if path.endswith("/embeddings"):
        data = [{"object": "embedding", "index": 0, "embedding": [0.1]}]
        return {
            "object": "list",
            "data": data,
            "model": "m",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }
    if path.endswith("/chat/completions"):
        finish = "tool_calls" if "tool_calls" in message else "stop"
        choices: list[dict[str, Any]] = [{"index": 0, "message": message, "finish_reason": finish}]
        kind = "chat.completion"
    else:
        choices, kind = [{"index": 0, "text": TEXT, "finish_reason": "stop"}], "text_completion"
    return {"id": "c", "object": kind, "created": 1, "model": "m", "choices": choices, "usage": _USAGE}
