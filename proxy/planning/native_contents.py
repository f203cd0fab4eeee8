"""Writes a plan's history as the contents of Gemini's own API, for a provider that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.core.deployment import Deployment
from proxy.core.source import GeminiRequest
from proxy.upstream.wires.kept_tools import keeps_tools
from sanitizers import Change, Messages, profile_for
from sanitizers.native.gemini.apply import apply_contents
from sanitizers.native.gemini.changed_contents import STEP, ChangedContents
from sanitizers.native.gemini.mend_signatures import drop_text_signatures
from sanitizers.native.gemini.mend_tools import DUPLICATE, without_duplicates
from sanitizers.native.gemini.spellings import key_of
from sanitizers.native.gemini.system import SYSTEM_FORM, is_sound_system, write_system
from sanitizers.native.protocol import Written

_SYSTEM = "systemInstruction"


def write_contents(
    native: GeminiRequest,
    deployment: Deployment,
    messages: Messages,
    parameters: Mapping[str, Any],
    mode: str,
) -> Written | None:
    """Return the contents for *messages*, or None where the plan has changed the tools.

    *mode* is that of sanitizing, as in :func:`proxy.planning.native_requests.with_items`. The system instruction is
    written anew where the plan has changed the system messages, or where Gemini would refuse its form.
    """
    if not keeps_tools(native.parameters, parameters):
        return None
    mended = _applied(native, deployment, messages, mends=mode != "off")
    if native.drops_signatures:
        mended = drop_text_signatures(mended)
    sent = mended if mode == "repair" else _applied(native, deployment, messages, mends=False)
    changed = dict(native.repaired)
    system_key = key_of(native.fields, _SYSTEM)
    if sent.has_new_system:
        changed[system_key] = sent.system
    changes = mended.changes
    system = changed.get(system_key, native.fields.get(system_key))
    if mode != "off" and not is_sound_system(system):
        changes = (Change(STEP, "replaced", 0, SYSTEM_FORM, _SYSTEM), *changes)
        if mode == "repair":
            before = native.projection.messages[: native.projection.leading]
            changed[system_key] = write_system(system, before, before)
    if mode != "off" and any(change.reason == DUPLICATE for change in native.conversion):
        key = key_of(native.fields, "tools")
        tools, dropped = without_duplicates(changed.get(key, native.fields.get(key)))
        changes = (*dropped, *changes)
        if mode == "repair":
            changed[key] = tools
    return Written(sent.items, sent.origins, changes, {"changed": changed})


def _applied(
    native: GeminiRequest, deployment: Deployment, messages: Messages, *, mends: bool
) -> ChangedContents:
    given = native.items if native.read_from is None else native.read_from
    projection = native.projection
    if messages is projection.messages and not (mends and projection.odd):
        return ChangedContents(given)
    profile = profile_for(deployment.model, deployment.profile).as_contents()
    system = native.fields.get(key_of(native.fields, _SYSTEM))
    return apply_contents(given, projection, messages, profile, system, mends=mends)
