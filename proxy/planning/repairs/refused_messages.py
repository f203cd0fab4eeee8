"""Repairs messages of Anthropic's API by the words of the provider that has refused them.

What can be seen in the messages is mended before they are sent (:mod:`sanitizers.native.messages.mend`). These refusals
are about what the provider alone knows: whose signatures it accepts, and what its model takes. Each later turn of the
conversation would be refused as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from proxy.core.source import MessagesRequest
from proxy.planning.mend_fields import lower_budget, without_thinking
from proxy.planning.native_requests import with_items
from proxy.planning.plan import REPAIR, Plan
from proxy.planning.repairs.field_paths import without_field
from proxy.planning.repairs.sent_items import with_sent_items
from proxy.resilience.read_error import ProviderError
from sanitizers import Change
from sanitizers.changes import Kind
from sanitizers.native.messages.changed_messages import THINKING, blocks_of
from sanitizers.native.messages.mend_limits import drop_media, drop_media_at
from sanitizers.native.messages.violations import media_in
from sanitizers.work_limit import metered

_THINKING = (
    "blocks in the latest assistant message cannot be modified",  # claude-code#19539, #63203
    "invalid `signature` in `thinking` block",
    "invalid `data` in `redacted_thinking` block",  # from memory
    "expected `thinking` or `redacted_thinking`",
    "the first block must be 'thinking' or 'redacted_thinking'",  # claude-code#20692
    "thinking.signature: field required",
)
_SYSTEMS = (
    'unexpected role "system"',  # one-api#1135
    "role 'system' is not supported",
    'role "system" is not supported',
    "role `system` is not supported",
)
_FORCED = ("thinking may not be enabled when tool_choice forces tool use",)
_BUDGET = ("`max_tokens` must be greater than `thinking.budget_tokens`",)
_SAMPLING = ("temperature", "top_p", "top_k")
_NO_SAMPLING = (
    *(f"`{name}` is deprecated for this model" for name in _SAMPLING),
    "`temperature` may only be set to 1 when thinking is enabled",
    "or unset when thinking is enabled",
    "`top_k` must be unset when thinking is enabled",
)
"""Refusals of the models from Opus 4.7 on, and of thinking in older ones: no sampling is left beside it."""

_ONE_SAMPLER = ("`temperature` and `top_p` cannot both be specified",)  # litellm#15097

_EXTRA = re.compile(r"([a-z_]\w{0,63}(?:\.\w{1,64}){0,12}): extra inputs are not permitted")
_MEDIA = re.compile(r"too much media: (\d{1,6}) document pages \+ (\d{1,6}) images > (\d{1,6})")
_UNREADABLE = re.compile(
    r"messages\.(\d{1,6})\.content\.(\d{1,6})[\w.]{0,200}: [^:]{0,200}?"
    r"(?:could not process|exceeds|exceed |not a valid|invalid base64|unsupported)"
)
"""Refusals of one image or document, whose place Anthropic names (claude-code#19822, CLIProxyAPI#5486)."""

_KEPT = frozenset({"container", "max_tokens", "mcp_servers", "messages", "model", "stream"})
"""Fields without which a request means something else, or its model can do less."""

_MAX_FOUND = 16


class _Made(NamedTuple):
    """A changed request: its native form, and the changes, each as kind, reason and detail."""

    native: MessagesRequest
    changes: list[tuple[Kind, str, str]]


def without_refused_messages(plan: Plan, said: ProviderError) -> Plan | None:
    """Return *plan* as *said* requires, or None where it names nothing of the client's messages, or nothing changes.

    The history stays the same object, since no chat message shows these changes.
    """
    source = plan.request.source
    if source is None or source.messages is not plan.messages:
        return None
    native = source.native
    if not isinstance(native, MessagesRequest):
        return None
    for repair in _REPAIRS:
        made = repair(native, said)
        if made is not None:
            return _planned_again(plan, made)
    return _without_media(plan, native, said) or _without_block_fields(plan, native, said)


def _planned_again(plan: Plan, made: _Made) -> Plan:
    source = plan.request.source
    assert source is not None, "the plan was made for a request with messages"
    request = replace(plan.request, source=replace(source, native=made.native))
    items = with_items(request, plan.deployment, plan.messages, plan.parameters, plan.mode)
    changes = [Change(REPAIR, kind, 0, reason, detail) for kind, reason, detail in made.changes]
    return replace(
        plan,
        request=items.request,
        item_changes=items.changes,
        later_changes=(*plan.later_changes, *changes),
    )


def _drop_thinking(native: MessagesRequest, said: ProviderError) -> _Made | None:
    if native.drops_thinking or not said.says(*_THINKING):
        return None
    has_any = any(
        block.get("type") in THINKING for item in metered(native.items) for block in blocks_of(item)
    )
    asks = native.fields.get("thinking") is not None
    if not has_any and not asks:
        return None
    return _Made(replace(native, drops_thinking=True), [("dropped", "thinking_refused", "")])


def _remind(native: MessagesRequest, said: ProviderError) -> _Made | None:
    has_any = any(item.get("role") == "system" for item in metered(native.items))
    if not has_any or not native.takes_systems or not said.says(*_SYSTEMS):
        return None
    return _Made(replace(native, takes_systems=False), [("replaced", "system_role", "")])


def _stop_forced_thinking(native: MessagesRequest, said: ProviderError) -> _Made | None:
    return _with_fields(native, without_thinking(_fields(native))) if said.says(*_FORCED) else None


def _lower_budget(native: MessagesRequest, said: ProviderError) -> _Made | None:
    if not said.says(*_BUDGET):
        return None
    fields = _fields(native)
    return _with_fields(native, lower_budget(fields, fields.get("max_tokens")))


def _drop_sampling(native: MessagesRequest, said: ProviderError) -> _Made | None:
    names = _SAMPLING if said.says(*_NO_SAMPLING) else ("top_p",) if said.says(*_ONE_SAMPLER) else ()
    fields = _fields(native)
    return _with_fields(native, {name: None for name in names if fields.get(name) is not None})


def _drop_fields(native: MessagesRequest, said: ProviderError) -> _Made | None:
    """Drop the fields outside the messages that are not permitted. A field of one tool is dropped from all tools."""
    changed: dict[str, Any] = {}
    for path in _refused_paths(said):
        name, *rest = path
        if name in _KEPT:
            continue
        held = changed.get(name, _fields(native).get(name))
        if held is None:
            continue
        if not rest:
            changed[name] = None
        elif name == "tools" and isinstance(held, list) and len(rest) > 1:
            made = [without_field(tool, rest[1:]) for tool in metered(held)]
            if any(new is not old for new, old in zip(made, held, strict=True)):
                changed[name] = made
        elif (less := without_field(held, rest)) is not held:
            changed[name] = less
    return _with_fields(native, changed)


_REPAIRS: tuple[Callable[[MessagesRequest, ProviderError], _Made | None], ...] = (
    _drop_thinking,
    _remind,
    _stop_forced_thinking,
    _lower_budget,
    _drop_sampling,
    _drop_fields,
)


def _fields(native: MessagesRequest) -> Mapping[str, Any]:
    return {**native.fields, **native.changed}


def _with_fields(native: MessagesRequest, changed: Mapping[str, Any]) -> _Made | None:
    if not changed:
        return None
    repaired = {**native.repaired, **changed}
    changes: list[tuple[Kind, str, str]] = [
        ("dropped" if value is None else "replaced", "refused_parameter", name)
        for name, value in changed.items()
    ]
    return _Made(replace(native, repaired=repaired), changes)


def _refused_paths(said: ProviderError) -> list[list[str]]:
    found = zip(_EXTRA.finditer(said.words), range(_MAX_FOUND), strict=False)
    return [one[1].split(".") for one, _ in found]


def _without_media(plan: Plan, native: MessagesRequest, said: ProviderError) -> Plan | None:
    """Leave out the oldest media where there is too much, and one that cannot be read where it is named."""
    items = list(native.items)
    made: list[tuple[int, Kind, str]] = []
    if (counted := _MEDIA.search(said.words)) is not None:
        pages, images, most = map(int, counted.groups())
        too_many = pages + images - most
        for at, item in enumerate(metered(items)):
            held = media_in(item.get("content"))
            if held and too_many > 0:
                items[at] = drop_media(item, too_many)
                too_many -= held
                made.append((at, "dropped", "media_many"))
    elif (named := _UNREADABLE.search(said.words)) is not None:
        at, number = int(named[1]), int(named[2])
        if at < len(items) and (less := drop_media_at(items[at], number)) is not items[at]:
            items[at] = less
            made.append((at, "dropped", "media_refused"))
    return with_sent_items(plan, native, items, made) if made else None


def _without_block_fields(plan: Plan, native: MessagesRequest, said: ProviderError) -> Plan | None:
    """Leave out the fields of blocks that are not permitted. Signed thinking is never edited."""
    items: Any = list(native.items)
    made: list[tuple[int, Kind, str]] = []
    for path in _refused_paths(said):
        if path[0] != "messages" or len(path) < 5 or not set(path).isdisjoint(THINKING):
            continue
        less = without_field(items, path[1:])
        if less is not items:
            items = less
            made.append((int(path[1]), "dropped", "refused_field"))
    return with_sent_items(plan, native, items, made) if made else None
