"""Writes strict chunks as a stream of Gemini's API, which must follow the grammar."""

from __future__ import annotations

from typing import Any

from proxy.ingress.gemini_native.answer import GeminiAnswers
from tests.support.gemini_grammar import answer_of, events_of, find_stream_faults

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def chunk(finish: str | None = None, *, index: int = 0, **delta: Any) -> dict[str, Any]:
    """Return a strict chunk with one choice."""
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "i", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def piece(place: int, arguments: str, *, begins: bool = False, **fields: Any) -> dict[str, Any]:
    """Return a piece of the call at *place*. A piece that *begins* the call has its id and name."""
    if not begins:
        return {"index": place, "function": {"arguments": arguments}, **fields}
    function = {"name": f"f{place}", "arguments": arguments}
    return {"index": place, "id": f"call_{place}", "type": "function", "function": function, **fields}


def calls(*pieces: dict[str, Any]) -> dict[str, Any]:
    """Return a chunk with *pieces* of calls."""
    return chunk(tool_calls=[*pieces])


def usage_chunk(usage: dict[str, Any]) -> dict[str, Any]:
    """Return the last chunk of a stream."""
    return {**chunk(), "choices": [], "usage": usage}


def answers(**facts: Any) -> GeminiAnswers:
    """Return the format of a request for the model ``asked``, which shows thoughts."""
    return GeminiAnswers("asked", "seed", **{"shows_thoughts": True, **facts})


def write(*chunks: dict[str, Any], finish: str | None = "stop", **facts: Any) -> bytes:
    """Return the stream of *chunks*."""
    writer = answers(**facts).write_stream()
    last = () if finish is None else (chunk(finish),)
    return b"".join(writer.write_chunk(one) for one in (*chunks, *last)) + writer.write_end()


def written(*chunks: dict[str, Any], finish: str | None = "stop", **facts: Any) -> dict[str, Any]:
    """Return the answer that the stream of *chunks* adds up to. The stream must follow the grammar."""
    raw = write(*chunks, finish=finish, **facts)
    assert find_stream_faults(raw) == []
    return answer_of(events_of(raw))
