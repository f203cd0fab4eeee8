"""Builds strict chunks, and writes them as a stream that must follow the grammar."""

from __future__ import annotations

from typing import Any

from proxy.ingress.anthropic_messages.answer import MessagesAnswers
from proxy.ingress.anthropic_messages.thinking import ReadThinking
from tests.support.messages_grammar import find_stream_faults, message_of

SHOWN = ReadThinking(None, True, True)
SIGNED = {"google": {"thought_signature": "c2ln"}}


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """Return a strict chunk with one choice."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "i", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def piece(index: int, arguments: str, *, begins: bool = False, **fields: Any) -> dict[str, Any]:
    """Return a piece of the call at *index*. A piece that *begins* the call has its id and name."""
    if not begins:
        return {"index": index, "function": {"arguments": arguments}, **fields}
    function = {"name": f"f{index}", "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function, **fields}


def calls(*pieces: dict[str, Any]) -> dict[str, Any]:
    """Return a chunk with *pieces* of calls."""
    return chunk(tool_calls=[*pieces])


def answers(**facts: Any) -> MessagesAnswers:
    """Return the format of a request for the model ``asked``, which shows thoughts."""
    return MessagesAnswers("asked", "seed", **{"thinking": SHOWN, **facts})


def written(*chunks: dict[str, Any], finish: str | None = "stop", **facts: Any) -> dict[str, Any]:
    """Return the message that the stream of *chunks* adds up to. The stream must follow the grammar."""
    writer = answers(**facts).write_stream()
    last = () if finish is None else (chunk(finish),)
    raw = b"".join(writer.write_chunk(one) for one in (*chunks, *last)) + writer.write_end()
    assert find_stream_faults(raw) == []
    return message_of(raw)
