"""Writes an answer as ``GenerateContentResponse``: whole, or as the chunks of a stream.

A stream splits a text into several chunks, and gives each call whole in a chunk of its own. From Gemini 3 on, a chunk
with an empty text and the finish reason follows the calls (python-genai#2868, gcli2api#407). The signature of a text
comes on an empty text part at the end (gemini-cli, comment on ``stripThoughts``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from proxy.emulator.answers import Answer

Chunk = dict[str, Any]

TEXT_CHUNKS = 8
WORDS_PER_CHUNK = 16


def whole(answer: Answer) -> Chunk:
    """Return the body of an answer that is not streamed."""
    parts = list(answer.parts)
    if answer.text_signature is not None and parts:
        parts[-1] = {**parts[-1], "thoughtSignature": answer.text_signature}
    return _response(answer, parts, last=True)


def chunks(answer: Answer) -> tuple[Chunk, ...]:
    """Return the chunks of a streamed answer. The last chunk has the finish reason and the whole usage."""
    pieces = [[piece] for part in answer.parts for piece in _pieces(part)]
    has_calls = any("functionCall" in part for part in answer.parts)
    if answer.text_signature is not None:
        pieces.append([{"text": "", "thoughtSignature": answer.text_signature}])
    elif answer.trailing_stop and has_calls:
        pieces.append([{"text": ""}])
    if not pieces:
        return (_response(answer, [], last=True),)
    return tuple(_response(answer, piece, last=i == len(pieces) - 1) for i, piece in enumerate(pieces))


def unfinished(chunk: Chunk) -> Chunk:
    """Return *chunk* without its finish reason, as if the server had cut the stream short."""
    candidates = [{k: v for k, v in c.items() if k != "finishReason"} for c in chunk["candidates"]]
    return {**chunk, "candidates": candidates}


def sse_event(chunk: Chunk) -> bytes:
    """Return *chunk* as Google's event for ``alt=sse``: one data line, then an empty line, with CRLF."""
    return b"data: " + orjson.dumps(chunk) + b"\r\n\r\n"


def array_item(chunk: Chunk, index: int) -> bytes:
    """Return *chunk* as the item *index* of a JSON array, the format of a stream without ``alt=sse``."""
    return (b"[" if index == 0 else b",\r\n") + orjson.dumps(chunk)


ARRAY_END = b"\n]\n"


def _response(answer: Answer, parts: Sequence[Mapping[str, Any]], *, last: bool) -> Chunk:
    # Google writes an empty candidate without any parts (python-genai#1289, generative-ai-python#744).
    content = {"role": "model", **({"parts": list(parts)} if parts else {})}
    ending: dict[str, Any] = {"finishReason": answer.finish_reason} if last else {}
    if last and answer.finish_message is not None:
        ending["finishMessage"] = answer.finish_message
    usage = answer.usage if last else {"promptTokenCount": answer.usage["promptTokenCount"]}
    return {
        "candidates": [{"content": content, **ending, "index": i} for i in range(answer.candidates)],
        "usageMetadata": dict(usage),
        "modelVersion": answer.model,
        "responseId": answer.response_id,
    }


def _pieces(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    text = part.get("text")
    if not isinstance(text, str) or not text:
        yield part
        return
    words = re.findall(r"\s*\S+\s*$|\s*\S+|\s+", text)
    size = min(WORDS_PER_CHUNK, max(1, -(-len(words) // TEXT_CHUNKS)))
    for start in range(0, len(words), size):
        yield {**part, "text": "".join(words[start : start + size])}
