"""Writes the answers, errors and stream events that OpenAI's formats share.

The envelope of an error is ``{"error": {"message", "type", "param", "code"}}`` (OpenAI's API reference, 2026-11). A
stream is a ``data:`` event for each chunk, and ``[DONE]`` after the last chunk. A stream that ends with an error has no
``[DONE]``.
"""

from __future__ import annotations

from typing import Any

from proxy.core.errors import ProxyError
from proxy.core.json_text import EVENT_STREAM, encode_event, write_json
from proxy.core.upstream_call import Answer, Chunk

DONE = b"data: [DONE]\n\n"
"""The end of a complete stream. It is never sent after an error."""

KEEP_ALIVE = b": keep-alive\n\n"
"""A comment, which clients skip (WHATWG, server-sent events)."""


def write_error(error: ProxyError) -> bytes:
    """Return *error* in OpenAI's envelope, as JSON."""
    return write_json(_envelope(error))


def _envelope(error: ProxyError) -> dict[str, Any]:
    fields = {"message": error.message, "type": error.type, "param": error.param, "code": error.code}
    return {"error": {**fields, **error.details}}


class OpenAIStream:
    """Writes each chunk unchanged as one event. A writer has no state, so all streams of a format share it."""

    def __init__(self, format_name: str) -> None:
        self.format = format_name

    write_chunk = staticmethod(encode_event)

    def write_native(self, event: Any, chunk: Chunk, /) -> bytes:
        """Return the event of the canonical chunk.

        The native event is not used, since the canonical form is OpenAI's own.
        """
        return encode_event(chunk)

    def write_encoded(self, chunk: bytes, /) -> bytes:
        """Return the event of a chunk that is encoded JSON."""
        return b"data: " + chunk + b"\n\n"

    def write_end(self) -> bytes:
        """Return the end of a complete answer."""
        return DONE

    def write_error(self, error: ProxyError, /) -> bytes:
        """Return the event that ends a stream with *error*."""
        return encode_event(_envelope(error))


class OpenAIFormat:
    """The members of :class:`proxy.forwarding.answer_format.ClientFormat` that OpenAI's formats share."""

    stream: OpenAIStream
    stream_content_type = EVENT_STREAM
    keep_alive = KEEP_ALIVE
    write_answer = staticmethod(write_json)
    write_error = staticmethod(write_error)

    def write_native_answer(self, native: Any, answer: Answer, /) -> bytes:
        """Return the canonical answer as JSON, since the canonical form is OpenAI's own."""
        return write_json(answer)

    def write_stream(self) -> OpenAIStream:
        """Return the writer of a streamed answer."""
        return self.stream
