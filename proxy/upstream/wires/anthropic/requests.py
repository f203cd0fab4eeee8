"""Writes a chat as the body of a Messages request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.claude_models import claude_of
from proxy.upstream.dialects.formats import schema_of
from proxy.upstream.wires.anthropic.limits import answer_limit
from proxy.upstream.wires.anthropic.server_tools import server_tools
from proxy.upstream.wires.anthropic.thinking import thinking_fields
from proxy.upstream.wires.anthropic.tools import tool_fields
from sanitizers import Unrepairable
from sanitizers.native.messages.write_messages import write_messages

CARRIED = frozenset(
    {
        "max_completion_tokens",
        "max_tokens",
        "n",
        "parallel_tool_calls",
        "reasoning_effort",
        "response_format",
        "stop",
        "temperature",
        "tool_choice",
        "tools",
        "top_k",
        "top_p",
        "user",
    }
)
"""The chat parameters that this wire carries."""

_SAME_NAMES = ("temperature", "top_p", "top_k")


def build_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one Messages request for the chat in *call*.

    The fields of ``extra_body``, which the operator allows, replace those of the same name. Raises
    :class:`InvalidRequest`, with the place, for a part or a tool that cannot be written.
    """
    deployment, parameters = call.deployment, call.parameters
    try:
        written = write_messages(call.messages, call.rules)
        history = write_json(written.messages)
    except Unrepairable as error:
        raise InvalidRequest(error.message, param=error.param) from None
    except RecursionError:
        words = "The arguments of a tool call are nested too deeply for this model."
        raise InvalidRequest(words, param="messages") from None
    limit = parameters.get("max_completion_tokens") or parameters.get("max_tokens")
    fields: dict[str, Any] = {
        "model": deployment.model_id,
        "max_tokens": answer_limit(deployment, len(history)) if limit is None else limit,
    }
    if written.system is not None:
        fields["system"] = written.system
    fields["messages"] = orjson.Fragment(history)
    if parameters:
        _add_parameters(fields, parameters, deployment.model_id)
        for name in deployment.allowed_openai_params & parameters.keys() - CARRIED:
            fields[name] = parameters[name]
    if call.source is not None and (tools := server_tools(call.source, deployment)):
        fields["tools"] = [*fields.get("tools", ()), *tools]
    if call.extra_body:
        fields.update(call.extra_body)
    if stream:
        fields["stream"] = True
    try:
        return orjson.dumps(fields)
    except orjson.JSONEncodeError:  # half a character outside the history
        return write_json({**fields, "messages": written.messages})


def _add_parameters(fields: dict[str, Any], parameters: Mapping[str, Any], model: str) -> None:
    claude = claude_of(model)
    if "tools" in parameters:
        fields.update(tool_fields(parameters, strict=claude is not None and claude.schemas))
    for name in _SAME_NAMES:
        if (value := parameters.get(name)) is not None:
            fields[name] = value
    if stop := parameters.get("stop"):
        fields["stop_sequences"] = [stop] if isinstance(stop, str) else stop
    if (user := parameters.get("user")) is not None:
        fields["metadata"] = {"user_id": user}
    if "reasoning_effort" in parameters:
        fields.update(thinking_fields(model, parameters["reasoning_effort"]))
    form = parameters.get("response_format")
    if form is not None and form.get("type") == "json_schema":
        schema = schema_of(form)
        if schema is not None:
            asked = {"type": "json_schema", "schema": schema}
            fields["output_config"] = {**fields.get("output_config", {}), "format": asked}
