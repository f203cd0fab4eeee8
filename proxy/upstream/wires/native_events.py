"""Attaches the provider's own answer to the converted answer, for clients that speak the wire's format.

The converted answer, the projection, is in OpenAI's chat format. This format cannot hold thinking between calls or
citations, which such a client would otherwise lose.
"""

from __future__ import annotations

from typing import Any

from proxy.core.source import OPENAI_CHAT, SOURCE, AnswerSource
from proxy.core.upstream_call import Answer, Chunk, UpstreamCall


def takes_native(wire_format: str | None, call: UpstreamCall) -> bool:
    """Tell whether the client of *call* takes native events of *wire_format*.

    The proxy's own answers are in OpenAI's chat format, so nothing is attached for clients of that format.
    """
    source = call.source
    return source is not None and source.format == wire_format and wire_format != OPENAI_CHAT


def attach_event(chunks: list[Chunk], wire_format: str, event: Any) -> list[Chunk]:
    """Return *chunks*, the projection of *event*, with the event as their source.

    An event without chunks becomes a chunk without choices. An event with several chunks is not attached, since the
    code that writes the answer could not tell which of the chunks was repaired.
    """
    if len(chunks) > 1:
        return chunks
    chunk = chunks[0] if chunks else {"choices": []}
    return [{**chunk, SOURCE: AnswerSource(wire_format, event)}]


def attach_body(answer: Answer, wire_format: str, native: Any) -> Answer:
    """Return *answer*, the projection of the decoded body *native*, with *native* as its source."""
    return {**answer, SOURCE: AnswerSource(wire_format, native)}
