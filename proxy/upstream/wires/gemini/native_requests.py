"""Writes the body of a request in its client's own form: the client's bytes, but for what the plan must change.

The signatures, unknown fields and built-in tools of a client survive only where its bytes do. Names of fields keep the
client's spelling, which may be that of JSON or that of the proto.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.json_text import write_json
from proxy.core.source import GeminiRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.gemini.declarations import MODES
from proxy.upstream.wires.gemini.native_settings import changed_settings
from proxy.upstream.wires.gemini.own_extras import extra_fields
from proxy.upstream.wires.raw_values import has_no_duplicate_keys, replace_fields
from sanitizers import Profile
from sanitizers.native.gemini.spellings import key_of

_TIERS = {"flex": "FLEX", "priority": "PRIORITY", "default": "STANDARD"}
_CONFIG = "generationConfig"
_CHOICE = "toolConfig"
_TIER = "serviceTier"


def build_native_request(call: UpstreamCall) -> bytes:
    """Return the body of one request, for a call that :func:`.eligibility.is_eligible` accepts.

    Where nothing changes, these are the client's bytes. Otherwise each field that stays keeps its bytes: numbers, key
    order and escapes. The fields of ``extra_body``, which the operator allows, replace those of the same name, but for
    the settings of the client.
    """
    source = call.source
    assert source is not None, "the call has a source of this format"
    native = source.native
    assert isinstance(native, GeminiRequest), "the call has a source of this format"
    fields = {
        **native.changed,
        **changed_fields(native, call.parameters, call.rules, call.deployment.model_id),
    }
    if not native.are_own:
        fields["contents"] = list(native.items)
    if call.extra_body:
        fields |= extra_fields({**native.fields, **fields}, call.extra_body)
    came = {"contents": native.items if native.are_own else None, **native.fields}
    if not fields:
        written = write_json(came)  # most clients write the contents first, and a comparison is fast
        if source.body == written or has_no_duplicate_keys(source.body, written):
            return source.body
    return replace_fields(source.body, came, fields)


def changed_fields(
    native: GeminiRequest, planned: Mapping[str, Any], profile: Profile, model: str
) -> dict[str, Any]:
    """Return the fields of *native* that the *planned* chat parameters change, each whole. None removes a field.

    They are those fields as the plan has changed them otherwise, with the parameters. *profile* and *model*,
    the provider's name of it, decide about the fields for thinking.
    """
    given = native.parameters
    if planned is given:
        return {}
    fields = {**native.fields, **native.changed} if native.changed else native.fields
    names = [name for name in {**given, **planned} if planned.get(name) != given.get(name)]
    changed: dict[str, Any] = {}
    settings = [name for name in names if name not in ("service_tier", "tool_choice", "tools")]
    if settings:
        key = key_of(fields, _CONFIG)
        came = fields.get(key) or {}
        after = changed_settings(came, settings, planned, profile, model)
        if after != came:
            changed[key] = after or None
    if "tool_choice" in names:
        key = key_of(fields, _CHOICE)
        changed[key] = _choice(fields.get(key) or {}, planned.get("tool_choice"))
    if "service_tier" in names:
        changed[key_of(fields, _TIER)] = _TIERS.get(planned.get("service_tier") or "")
    return changed


def _choice(came: Mapping[str, Any], value: Any) -> dict[str, Any] | None:
    """Return the tool configuration *came* with a plain choice in Gemini's form."""
    key = key_of(came, "functionCallingConfig")
    after = {**came, key: {"mode": MODES[value]}} if value is not None else {**came, key: None}
    return {name: held for name, held in after.items() if held is not None} or None
