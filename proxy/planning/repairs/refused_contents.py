"""Repairs contents of Gemini's own API by the words of the provider that has refused them.

What can be seen in the contents is mended before they are sent (:mod:`sanitizers.native.gemini.apply`), and what a chat
message shows is repaired there (:mod:`.repair_table`). These refusals are about the rest: signatures of texts, and
fields that the provider or its model does not know. Each later turn of the conversation would be refused as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from proxy.core.source import GeminiRequest
from proxy.planning.native_requests import with_items
from proxy.planning.plan import REPAIR, Plan
from proxy.planning.repairs.proto_paths import read_path, without_proto_field
from proxy.planning.repairs.refused_thinking import without_refused_thinking
from proxy.planning.repairs.repair_request import repair_request
from proxy.planning.repairs.sent_items import with_sent_items
from proxy.planning.repairs.use_repaired import use_repaired
from proxy.resilience.read_error import ProviderError
from sanitizers import Change
from sanitizers.changes import Kind
from sanitizers.native.gemini.mend_signatures import has_signed_texts
from sanitizers.native.gemini.spellings import key_of

_SIGNATURES = ("thought_signature", "thought signature", "thoughtsignature", "invalid signature")
"""The words of the row ``signature`` for chats (gemini-cli#13467, Antigravity-Manager#970)."""

_PENALTIES = ("penalty is not enabled",)  # google-gemini/cookbook#1290, openai-gemini#63
_NO_FUNCTIONS = ("function calling config is set without function_declarations",)  # claude-code-router#1207
_UNKNOWN = re.compile(r'unknown name "([\w$]{1,64})"(?: at \'([\w.\[\]]{1,400})\')?', re.ASCII)
""" "Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field."

kimi-cli#1582, AstrBot#7386, CLIProxyAPI#97.
"""

_CONFIG = "generationConfig"
_KEPT = frozenset({"contents", "model", "systeminstruction", "tools"})
"""Fields without which a request means something else."""

_KEPT_IN_CONTENTS = frozenset({"args", "data", "name", "parts", "response", "role", "text"})
_MAX_FOUND = 64

_Fields = tuple[dict[str, Any], list[tuple[Kind, str, str]]]
"""Changed fields, each whole, and the changes: kind, reason and detail. None removes a field."""


def without_refused_contents(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* as *said* requires, or None where it names nothing of the client's own, or nothing changes."""
    source = plan.request.source
    if source is None or source.messages is not plan.messages:
        return None
    native = source.native
    if not isinstance(native, GeminiRequest):
        return None
    if (unknown := _without_unknown_names(plan, native, said)) is not None:
        return unknown
    fields = {**native.fields, **native.changed}
    for repair in _REPAIRS:
        changed, changes = repair(fields, said)
        if changed:
            return _planned_again(plan, replace(native, repaired={**native.repaired, **changed}), changes)
    if said.says(*_SIGNATURES) and has_signed_texts(native.items):
        renewed = _planned_again(plan, replace(native, drops_signatures=True), [("dropped", "signature", "")])
        repaired = repair_request(renewed.messages, renewed.parameters, renewed.profile, said)
        return renewed if repaired is None else use_repaired(renewed, repaired)
    return None


def _planned_again(plan: Plan, native: GeminiRequest, made: list[tuple[Kind, str, str]]) -> Plan:
    source = plan.request.source
    assert source is not None, "the plan was made for a request with contents"
    request = replace(plan.request, source=replace(source, native=native))
    items = with_items(request, plan.deployment, plan.messages, plan.parameters, plan.mode)
    changes = [Change(REPAIR, kind, 0, reason, detail) for kind, reason, detail in made]
    return replace(
        plan,
        request=items.request,
        item_changes=items.changes,
        later_changes=(*plan.later_changes, *changes),
    )


def _without_unknown_names(plan: Plan, native: GeminiRequest, said: ProviderError) -> Plan | None:
    """Leave out the fields that the provider does not know, wherever it names them."""
    fields: dict[str, Any] = {**native.fields, **native.changed}
    items: Any = list(native.items)
    changed: dict[str, Any] = {}
    changes: list[tuple[Kind, str, str]] = []
    made: list[tuple[int, Kind, str]] = []
    for found, _ in zip(_UNKNOWN.finditer(said.words), range(_MAX_FOUND), strict=False):
        path = read_path(found[2]) if found[2] else []
        if path is None:
            continue
        if path and _plain(path[0]) == "contents":
            less = (
                items
                if _plain(found[1]) in _KEPT_IN_CONTENTS
                else without_proto_field(items, [*path[1:], found[1]])
            )
            if less is not items:
                items = less
                made.append(
                    (path[1] if len(path) > 1 and isinstance(path[1], int) else 0, "dropped", "refused_field")
                )
            continue
        name = _key_like(fields, path[0] if path else found[1])
        if name is None or (not path and _plain(name) in _KEPT):
            continue
        held = changed.get(name, fields[name])
        after = without_proto_field(held, [*path[1:], found[1]]) if path else None
        if after is not held:
            changed[name] = after
            changes.append(("dropped", "refused_parameter", ".".join(filter(None, (found[2], found[1])))))
    if not (changed or made):
        return None
    if changed:
        plan = _planned_again(plan, replace(native, repaired={**native.repaired, **changed}), changes)
    if not made:
        return plan
    source = plan.request.source
    assert source is not None, "the plan was made for a request with contents"
    assert isinstance(source.native, GeminiRequest), "the plan was made for a request with contents"
    return with_sent_items(plan, source.native, items, made)


def _without_penalties(fields: Mapping[str, Any], said: ProviderError) -> _Fields:
    if not said.says(*_PENALTIES):
        return {}, []
    key = key_of(fields, _CONFIG)
    config = fields.get(key) or {}
    less = dict(config)
    for name in ("frequencyPenalty", "presencePenalty"):
        less.pop(key_of(less, name), None)
    if less == config:
        return {}, []
    gone = sorted(config.keys() - less.keys())
    return {key: less or None}, [("dropped", "refused_parameter", f"{key}.{name}") for name in gone]


def _without_choice(fields: Mapping[str, Any], said: ProviderError) -> _Fields:
    key = key_of(fields, "toolConfig")
    if not said.says(*_NO_FUNCTIONS) or not isinstance(held := fields.get(key), dict):
        return {}, []
    less = {name: value for name, value in held.items() if name != key_of(held, "functionCallingConfig")}
    if less == held:
        return {}, []
    return {key: less or None}, [("dropped", "refused_parameter", key)]


_REPAIRS: tuple[Callable[[Mapping[str, Any], ProviderError], _Fields], ...] = (
    without_refused_thinking,
    _without_penalties,
    _without_choice,
)


def _plain(name: str | int) -> str:
    return str(name).replace("_", "").lower()


def _key_like(fields: Mapping[str, Any], name: str | int) -> str | None:
    """Return the key of *fields* that is *name* in either spelling and in any case, and holds anything."""
    wanted = _plain(name)
    return next((key for key, held in fields.items() if held is not None and _plain(key) == wanted), None)
