"""Tells if a repair changed the content of an answer or a chunk.

A client of the provider's own format then does not get the native event, which still has the old content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FIELDS = ("content", "reasoning_content", "refusal", "audio", "annotations")


def is_repaired(projected: Mapping[str, Any], canonical: Mapping[str, Any] | None) -> bool:
    """Return True where the content of *canonical* differs from that of *projected*, as it was before the repairs.

    Both arguments are whole answers, or both are chunks. *canonical* is None for a chunk that is held back or left out.
    The texts, audio, annotations, the calls' arguments and indexes, and the finish reasons are compared. Values that
    the proxy writes into the native event itself are not compared: ids, the model, the role, and the names of tools.
    Signatures, log probabilities and the usage are not compared either. The native event has them in its own form.
    """
    return _content_of(projected) != ([] if canonical is None else _content_of(canonical))


def _content_of(answer: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return the content of each choice, in their order, without empty choices."""
    found = []
    for at, choice in enumerate(answer.get("choices") or ()):
        message, index = choice.get("message"), choice.get("index")
        if message is not None:
            content = _content_of_message(message)
        else:
            content = _content_of_delta(choice.get("delta") or {})
            at = 0  # a delta without an index belongs to the first choice
        reason = choice.get("finish_reason") or None
        if reason is not None or any(content):
            found.append((at if index is None else index, reason, *content))
    return found


def _content_of_message(message: Mapping[str, Any]) -> tuple[Any, ...]:
    calls = message.get("tool_calls") or ()
    return (*_content_of_fields(message), tuple((at, _arguments(call)) for at, call in enumerate(calls)))


def _content_of_delta(delta: Mapping[str, Any]) -> tuple[Any, ...]:
    pieces = delta.get("tool_calls") or ()
    return (*_content_of_fields(delta), tuple((piece.get("index"), _arguments(piece)) for piece in pieces))


def _content_of_fields(part: Mapping[str, Any]) -> tuple[Any, ...]:
    legacy = part.get("function_call") or {}
    return (*(part.get(name) or None for name in _FIELDS), legacy.get("arguments") or None)


def _arguments(call: Mapping[str, Any]) -> Any:
    return (call.get("function") or {}).get("arguments") or ""
