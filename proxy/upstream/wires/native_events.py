"""Attaches what a provider sent to what it was projected to, where the client speaks the wire's own format.

Else thinking between calls, citations and whatever no chat message holds would be lost on the way to such a client.
"""

from __future__ import annotations

from typing import Any

from proxy.core.source import OPENAI_CHAT, SOURCE, AnswerSource
from proxy.core.upstream_call import Answer, Chunk, UpstreamCall


def takes_native(wire_format: str | None, call: UpstreamCall) -> bool:
    """Tell whether the client of *call* takes native events of *wire_format*.

    The internal form is OpenAI's chat format, so that nothing is attached to its answers.
    """
    source = call.source
    return source is not None and source.format == wire_format and wire_format != OPENAI_CHAT


def attach_event(chunks: list[Chunk], wire_format: str, event: Any) -> list[Chunk]:
    """Return *chunks*, which *event* was projected to, with the event as their source.

    An event that projects to nothing becomes a chunk without choices. One that projects to several chunks is not
    attached, since the writer could not tell which part of it was repaired.
    """
    if len(chunks) > 1:
        return chunks
    chunk = chunks[0] if chunks else {"choices": []}
    return [{**chunk, SOURCE: AnswerSource(wire_format, event)}]


def attach_body(answer: Answer, wire_format: str, native: Any) -> Answer:
    """Return *answer*, a whole one that the decoded body *native* was projected to, with *native* as its source."""
    return {**answer, SOURCE: AnswerSource(wire_format, native)}
