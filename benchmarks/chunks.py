"""Measures the cost of a streamed chunk: CPU time from the provider's bytes to the client's, by content.

The command is part of ``make bench``. Each figure is the median over runs in one process, in microseconds per chunk.
The figure covers reading, normalizing and writing the events. The table also shows the time for only decoding and
encoding the same events, and the difference. Any proxy that reads events needs that time.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from proxy.answers.normalize import ChunkNormalizer
from proxy.core.json_text import encode_event
from proxy.planning.signatures.client_ids import CallIds
from proxy.upstream.wires import gemini, openai
from proxy.upstream.wires.payloads import load_payload
from proxy.upstream.wires.sse_decoder import SSEDecoder

_CHUNKS = 400


def _openai_events(deltas: Iterable[dict[str, Any]]) -> bytes:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    events = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    events.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def _gemini_events(parts: Iterable[dict[str, Any]]) -> bytes:
    events: list[dict[str, Any]] = [
        {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], "responseId": "r"}
        for part in parts
    ]
    events[-1]["candidates"][0]["finishReason"] = "STOP"
    return b"".join(b"data: " + orjson.dumps(event) + b"\n\n" for event in events)


def _arguments() -> Iterable[dict[str, Any]]:
    yield {"role": "assistant", "content": None}
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}
    yield {"tool_calls": [first]}
    texts = ['{"text": "', *(f"word {at} " for at in range(_CHUNKS - 4)), '"}']
    for text in texts:
        yield {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}


def _code() -> Iterable[dict[str, Any]]:
    """Yield the deltas of a call whose arguments hold a text full of braces, as if JSON objects began and ended."""
    yield {"tool_calls": [{"index": 0, "id": "call_1", "function": {"name": "f", "arguments": ""}}]}
    for text in ['{"text": "', *(["{ a } {", "}"] * (_CHUNKS // 2 - 2)), '"}']:
        yield {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}


STREAMS: dict[str, tuple[bytes, str]] = {
    "OpenAI: text": (_openai_events({"content": f"word {at} "} for at in range(_CHUNKS)), "openai"),
    "OpenAI: arguments": (_openai_events(_arguments()), "openai"),
    "OpenAI: arguments full of braces": (_openai_events(_code()), "openai"),
    "Gemini: text": (_gemini_events({"text": f"word {at} "} for at in range(_CHUNKS)), "gemini"),
    "Gemini: signed calls": (
        _gemini_events(
            {"functionCall": {"name": "f", "args": {"n": at}}, "thoughtSignature": "c2lnbmF0dXJl" * 40}
            for at in range(_CHUNKS)
        ),
        "gemini",
    ),
}


def passed_on(stream: bytes) -> None:
    """Decode and encode every event of a stream, without normalizing."""
    for payload in SSEDecoder().feed(stream):
        if payload != b"[DONE]":
            encode_event(orjson.loads(payload))


def normalized(stream: bytes, wire: str) -> None:
    """Read, normalize and encode every event of a stream."""
    reader: Any = openai.StreamReader() if wire == "openai" else gemini.StreamReader("m")
    ids = CallIds("seed", tag="aaaaa" if wire == "gemini" else None)
    normalizer = ChunkNormalizer(fallback_id="c", created=1, model="m", include_usage=True, ids=ids)
    for payload in SSEDecoder().feed(stream):
        event = payload if wire == "openai" else load_payload(payload)
        for chunk in reader.feed(event):
            if (done := normalizer.normalize(chunk)) is not None:
                encode_event(done)
    for chunk in reader.close():
        if (done := normalizer.normalize(chunk)) is not None:
            encode_event(done)
    assert normalizer.finished


def microseconds(work: Callable[[], None], runs: int) -> float:
    """Return the median CPU time of one chunk, in microseconds."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return statistics.median(times) / _CHUNKS * 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=100)
    runs: int = parser.parse_args().runs
    print(f"CPU time a chunk, median of {runs} streams of {_CHUNKS}; Python {platform.python_version()}")
    print(f"{'stream':<34}{'µs':>8}{'passed on':>12}{'more':>8}")
    for name, (stream, wire) in STREAMS.items():
        ours = microseconds(lambda stream=stream, wire=wire: normalized(stream, wire), runs)  # type: ignore[misc]
        least = microseconds(lambda stream=stream: passed_on(stream), runs)  # type: ignore[misc]
        print(f"{name:<34}{ours:>8.1f}{least:>12.1f}{ours - least:>8.1f}")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
