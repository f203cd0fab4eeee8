"""Makes the finished response object of an answer: its status, and the reason for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from proxy.answers.find_empty import CUT_OFF
from proxy.ingress.openai_responses.echo import ResponseHead, make_response
from proxy.ingress.openai_responses.errors import SERVER_ERROR

_INCOMPLETE: Mapping[str, str] = MappingProxyType(
    {"content_filter": "content_filter", "length": "max_output_tokens"}
)
"""The reason of an incomplete response, by the finish reason."""

_SILENT = "The model's answer says nothing."


def finished(
    head: ResponseHead,
    output: Sequence[Mapping[str, Any]],
    reason: str,
    usage: Mapping[str, Any] | None,
    now: int,
) -> dict[str, Any]:
    """Return the response object of an answer that ended with the finish reason *reason* at *now*, in unix seconds."""
    if reason in _INCOMPLETE:
        details = {"reason": _INCOMPLETE[reason]}
        return make_response(head, "incomplete", output, usage=usage, incomplete_details=details)
    if ends_in_silence(output, reason):
        return failed(head, output, {"code": SERVER_ERROR, "message": _SILENT}, usage)
    return make_response(head, "completed", output, usage=usage, completed_at=now)


def ends_in_silence(output: Sequence[Mapping[str, Any]], reason: str | None) -> bool:
    """Return True for a whole answer without a message or a call.

    As ``completed``, codex would end its task without a word (ollama#18419), and @openai/agents would ask ten times.
    """
    return reason not in CUT_OFF and all(item["type"] == "reasoning" for item in output)


def failed(
    head: ResponseHead,
    output: Sequence[Mapping[str, Any]],
    error: Mapping[str, Any],
    usage: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the response object of an answer that failed. *error* has a code and a message."""
    return make_response(head, "failed", output, usage=usage, error=dict(error))
