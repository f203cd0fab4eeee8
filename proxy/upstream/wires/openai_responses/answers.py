"""Reads a whole response as a chat completion."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proxy.core.upstream_call import Answer
from proxy.upstream.wires.openai_responses.failures import (
    raise_broken_off,
    raise_failure,
    refuse_response,
    refuse_silence,
)
from proxy.upstream.wires.openai_responses.output import CallNames, is_call, read_logprobs, read_message
from proxy.upstream.wires.openai_responses.usage import read_usage

_CUT: Mapping[str, str] = MappingProxyType(
    {"content_filter": "content_filter", "max_output_tokens": "length"}
)
"""The finish reason for the reason of an incomplete response. Any other reason cut the answer too."""


def read_response(response: Any, names: CallNames, separator: str = "") -> Answer:
    """Return *response*, a whole response object, as a chat completion. *separator* stands between its messages.

    Raises :class:`proxy.core.errors.UpstreamFault` for a response that failed or has not ended, and for another body.
    """
    output = output_of(response)
    message = read_message(output, names, separator)
    choice = {"index": 0, "message": message, "finish_reason": finish_reason(response, output)}
    if logprobs := read_logprobs(output):
        choice["logprobs"] = {"content": logprobs, "refusal": None}
    answer: Answer = {
        "id": response.get("id"),
        "object": "chat.completion",
        "created": response.get("created_at"),
        "model": response.get("model"),
        "choices": [choice],
    }
    if (usage := read_usage(response.get("usage"))) is not None:
        answer["usage"] = usage
    if isinstance(tier := response.get("service_tier"), str):
        answer["service_tier"] = tier
    return answer


def output_of(response: Any) -> list[Any]:
    """Return the output items of *response*. Raises :class:`proxy.core.errors.UpstreamFault` for what is none."""
    if not isinstance(response, dict):
        refuse_response()
    if response.get("error") is not None and response.get("status") not in ("completed", "incomplete"):
        raise_failure(response["error"])
    output = response.get("output")
    if not isinstance(output, list):
        refuse_response()
    return output


def finish_reason(response: Mapping[str, Any], output: list[Any], *, has_said: bool = False) -> str:
    """Return the finish reason of *response* with the items *output*. *has_said* says that pieces of texts came before.

    Raises :class:`proxy.core.errors.UpstreamFault` for a response that has no end, and for one that says nothing. codex
    takes thoughts alone for the end of its task (hermes-agent#2070).
    """
    status = response.get("status")
    if status == "incomplete":
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        return _CUT.get(reason, "length") if isinstance(reason, str) else "length"
    if status == "failed":
        raise_failure(response.get("error"))
    if status != "completed":
        raise_broken_off()
    if not has_said and all(isinstance(item, dict) and item.get("type") == "reasoning" for item in output):
        refuse_silence(has_thought=bool(output))
    called = any(map(is_call, output))
    return "tool_calls" if called else "stop"
