"""Writes the body of a request in its client's own form: the client's bytes, but for what the plan must change.

The prompt caches, betas, unknown blocks and signatures of a client survive only where its bytes do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.source import MessagesRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.formats import schema_of
from proxy.upstream.wires.anthropic.thinking import thinking_fields
from proxy.upstream.wires.raw_values import replace_fields

_CHOICES = {"auto": "auto", "none": "none", "required": "any"}
_TIERS = {"auto": "auto", "default": "standard_only"}
_SAME_NAMES = ("temperature", "top_k", "top_p")
_LIMITS = ("max_completion_tokens", "max_tokens")


def build_native_request(call: UpstreamCall, *, stream: bool) -> bytes:
    """Return the body of one request, for a call that :func:`.eligibility.is_eligible` accepts.

    The client's bytes of each field stay as they were where nothing changes: numbers, key order and escapes. The fields
    of ``extra_body``, which the operator allows, replace those of the same name.
    """
    source = call.source
    assert source is not None, "the call has a source of this format"
    native = source.native
    assert isinstance(native, MessagesRequest), "the call has a source of this format"
    model = call.deployment.model_id
    fields: dict[str, Any] = {
        "model": model,
        **changed_fields(native, call.parameters, model),
        **native.changed,
    }
    if stream or native.fields.get("stream"):
        fields["stream"] = True if stream else None
    if not native.are_own:
        fields["messages"] = list(native.items)
    fields.update(call.extra_body)
    came = {**native.fields, "messages": native.items if native.are_own else None}
    return replace_fields(source.body, came, fields)


def changed_fields(native: MessagesRequest, planned: Mapping[str, Any], model: str) -> dict[str, Any]:
    """Return the fields of *native* that the *planned* chat parameters change, each whole. None removes a field.

    *model* is the provider's name of the model, on which the fields for thinking depend.
    """
    given = native.parameters
    changed: dict[str, Any] = {}
    if planned is given:
        return changed
    for name in {**given, **planned}:
        value = planned.get(name)
        if value == given.get(name):
            continue
        if name in _SAME_NAMES:
            changed[name] = value
        elif name in _LIMITS:
            limits = [planned[limit] for limit in _LIMITS if planned.get(limit) is not None]
            if limits:
                changed["max_tokens"] = limits[0]
        elif name == "stop":
            changed["stop_sequences"] = [value] if isinstance(value, str) else value
        elif name == "tool_choice":
            changed[name] = _choice(value, native)
        elif name == "service_tier":
            changed[name] = _TIERS.get(value or "")
        elif name == "reasoning_effort":
            _change_thinking(changed, native, value, model)
        elif name == "response_format":
            _change_format(changed, native, value)
    return changed


def _choice(value: Any, native: MessagesRequest) -> Any:
    """Return a plain choice in Anthropic's form. Whether several calls are allowed stays as the client says."""
    if value is None:
        return None
    came = native.fields.get("tool_choice")
    choice: dict[str, Any] = {"type": _CHOICES[value]}
    if isinstance(came, dict) and "disable_parallel_tool_use" in came and value != "none":
        choice["disable_parallel_tool_use"] = came["disable_parallel_tool_use"]
    return choice


def _change_thinking(changed: dict[str, Any], native: MessagesRequest, effort: Any, model: str) -> None:
    """Write the *effort* in place of the client's thinking and effort. None removes both."""
    made = {} if effort is None else thinking_fields(model, effort)
    changed["thinking"] = made.get("thinking")
    _change_output(changed, native, "effort", made.get("output_config", {}).get("effort"))


def _change_format(changed: dict[str, Any], native: MessagesRequest, form: Any) -> None:
    """Write the *form* of the answer. None removes it, and so does a form without a schema."""
    schema = schema_of(form) if isinstance(form, dict) else None
    if "output_format" in native.fields:
        changed["output_format"] = None
    _change_output(changed, native, "format", schema and {"type": "json_schema", "schema": schema})


def _change_output(changed: dict[str, Any], native: MessagesRequest, name: str, value: Any) -> None:
    before = changed.get("output_config") or native.fields.get("output_config") or {}
    after = {**before, name: value}
    changed["output_config"] = {key: held for key, held in after.items() if held is not None} or None
