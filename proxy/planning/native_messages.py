"""Writes a plan's history as the messages of Anthropic's API, for a provider that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import MessagesRequest
from proxy.planning.mend_fields import called_names, mend_fields
from proxy.planning.suit_thinking import suit_thinking
from proxy.upstream.dialects.claude_models import claude_of
from proxy.upstream.wires.kept_tools import keeps_tools
from sanitizers import Change, Messages
from sanitizers.native.messages.apply import apply_messages
from sanitizers.native.messages.changed_messages import ChangedMessages
from sanitizers.native.messages.mend import mend_messages
from sanitizers.native.messages.open_thinking import drop_thinking, loses_thinking
from sanitizers.native.messages.violations import marks_in
from sanitizers.native.protocol import Written


def write_messages(
    native: MessagesRequest,
    deployment: Deployment,
    messages: Messages,
    parameters: Mapping[str, Any],
    mode: str,
) -> Written | None:
    """Return the native messages for *messages*, or None where the plan has changed the tools.

    *mode* is that of sanitizing, as in :func:`proxy.planning.native_requests.with_items`. Where the thinking of the
    open turn cannot stay as it came, all thinking goes, and the request asks for none.
    """
    if not keeps_tools(native.parameters, parameters):
        return None
    given = native.items if native.read_from is None else native.read_from
    given_fields = {**native.fields, **native.repaired}
    system = given_fields.get("system")
    applied = ChangedMessages(given)
    if messages is not native.projection.messages:
        applied = apply_messages(given, native.projection, system, messages)
    mended = applied
    fields: Mapping[str, Any] = {}
    changes: tuple[Change, ...] = ()
    if mode != "off":
        takes_systems = native.takes_systems and _may_take_systems(deployment)
        if applied.system is not None:
            given_fields["system"] = applied.system
        outside = _marks_outside(given_fields)
        claude = claude_of(deployment.model_id)
        signs = claude is not None
        mended = mend_messages(applied, marks=outside, takes_systems=takes_systems, signs=signs)
        suited, kinds = suit_thinking(given_fields, claude)
        given_fields |= suited
        thinking = given_fields.get("thinking")
        if native.drops_thinking or loses_thinking(given, mended.items, thinking):
            mended = mend_messages(
                drop_thinking(mended), marks=outside, takes_systems=takes_systems, signs=signs
            )
        betas = native.headers.get("anthropic-beta", "")
        called = () if given_fields.get("tools") else called_names(mended.items)
        fields, changes = mend_fields(
            given_fields, parameters, betas, drops_thinking=mended.drops_thinking, called=called
        )
        fields, changes = {**suited, **fields}, (*kinds, *changes)
    sent = mended if mode == "repair" else applied
    changed = dict(native.repaired)
    if sent.system is not None:
        changed["system"] = sent.system or None
    if mode == "repair":
        changed |= fields
    return Written(sent.items, sent.origins, (*changes, *mended.changes), {"changed": changed})


def _may_take_systems(deployment: Deployment) -> bool:
    """Tell whether *deployment* may take system messages between others. An unknown model says so itself.

    "role 'system' is not supported on this model" (gproxy-transform), before Opus 4.8.
    """
    claude = claude_of(deployment.model_id)
    return claude is None or claude.takes_systems


def _marks_outside(fields: Mapping[str, Any]) -> int:
    """Return the number of cache marks outside the messages: of tools, of ``system``, and of the whole request."""
    held = marks_in(fields.get("tools")) + marks_in(fields.get("system"))
    return held + (fields.get("cache_control") is not None)
