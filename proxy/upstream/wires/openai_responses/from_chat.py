"""Writes a chat as a request of the Responses API, for models that are asked by it and clients that are not.

Fields without a counterpart are left out here. The plan has reported them
(:data:`proxy.upstream.dialects.responses_models.NO_FIELD`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.openai_responses.parameters import FIELDS, LOGPROBS, flat_format
from proxy.upstream.wires.openai_responses.requests import model_name
from sanitizers.native.responses.write_items import write_items

_NO_PARAMETERS = {"type": "object", "properties": {}}

_LIMITS = ("max_tokens", "max_completion_tokens")
"""The names of chat's limit, the one that counts last."""


def build_request_of_chat(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one request for a response, from the messages and parameters of *call*.

    The provider stores nothing (``store: false``). Thoughts of earlier turns are not sent.
    """
    fields: dict[str, Any] = {
        "model": model_name(call.deployment),
        "input": write_items(call.messages, None),
        **_fields(call.parameters),
        "store": False,
    }
    if stream:
        fields["stream"] = True
    fields.update(call.extra_body)
    return write_json(fields)


def _fields(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the API for chat *parameters*."""
    fields: dict[str, Any] = {}
    if tools := parameters.get("tools"):
        fields["tools"] = [_flat_tool(tool) for tool in tools]
    names = [name for name in parameters if name in FIELDS and name not in _LIMITS]
    for name in (*_LIMITS, *names):
        value = parameters.get(name)
        if value is None or (name == "reasoning_effort" and value == "default"):
            continue
        if name == "response_format":
            value = flat_format(value)
        elif name == "tool_choice":
            value = _flat_choice(value)
        elif name == "top_logprobs" and not parameters.get("logprobs"):
            continue
        outer, *inner = FIELDS[name]
        if inner:
            fields.setdefault(outer, {})[inner[0]] = value
        else:
            fields[outer] = value
    if parameters.get("logprobs"):
        fields["include"] = [LOGPROBS]
    return fields


def _flat_tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return chat's *tool* in the flat form.

    A missing ``strict`` is true in this API and false in chats, so that it is always said.
    """
    function = tool["function"]
    flat: dict[str, Any] = {"type": "function", "name": function["name"]}
    if (description := function.get("description")) is not None:
        flat["description"] = description
    parameters = function.get("parameters")
    flat["parameters"] = _NO_PARAMETERS if parameters is None else parameters
    flat["strict"] = function.get("strict") is True
    return flat


def _flat_choice(choice: Any) -> Any:
    """Return chat's tool choice in the flat form: a mode, or a function by its name."""
    function = choice.get("function") if isinstance(choice, dict) else None
    return {"type": "function", "name": function["name"]} if isinstance(function, dict) else choice
