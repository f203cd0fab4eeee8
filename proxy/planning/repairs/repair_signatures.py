"""Repairs for a provider that refuses thought signatures, or the ids of signed calls."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import Draft, has_calls, note, sanitize_draft, with_entries
from proxy.planning.repairs.repair_calls import rename_call_ids
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.resilience.read_error import ProviderError
from proxy.upstream.signature_carriers import CALL_SIGNATURE_FIELDS, MESSAGE_SIGNATURE_FIELDS, with_signature
from sanitizers.messages import Entries, Entry, base_id, tool_calls_of


def replace_signatures(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without a signature in any field or in the suffix of any id.

    Google's documented stand-in then goes on the first call of each turn. Sources: gemini-cli#13467,
    Antigravity-Manager#3342, 9router#301, ai.google.dev/gemini-api/docs/thought-signatures for the stand-in.
    """
    missing = error.says("missing a thought_signature")
    profile = draft.profile
    if missing and profile.signs_calls and not profile.call_ids and has_calls(draft):
        # Only profiles with ids have signatures (see `stand_ins`). The error says that the model is of that
        # kind.
        draft = replace(draft, profile=replace(profile, name=f"{profile.name}-signed", call_ids=True))
    entries, _ = rename_call_ids(draft.entries, base_id)
    entries = without_signatures(entries)
    if missing or entries != draft.entries:
        messages, _ = with_stand_ins([entry.message for entry in entries], draft.profile)
        entries = tuple(
            Entry(message, entry.origin) for message, entry in zip(messages, entries, strict=True)
        )
    changes = [
        note("replaced", new.origin, "signature")
        for new, old in zip(entries, draft.entries, strict=True)
        if new.message != old.message
    ]
    return with_entries(draft, entries, changes)


def without_signatures(entries: Entries) -> Entries:
    """Return *entries* without the fields that hold signatures of calls and texts. Suffixes of ids stay."""
    return tuple(_strip(entry) for entry in entries)


def _strip(entry: Entry) -> Entry:
    message = entry.message
    if message["role"] != "assistant":
        return entry
    stripped = with_signature(message, None, MESSAGE_SIGNATURE_FIELDS)
    calls = tool_calls_of(message)
    bare = [with_signature(call, None, CALL_SIGNATURE_FIELDS) for call in calls]
    if bare != calls:
        stripped = {**stripped, "tool_calls": bare}
    return entry if stripped is message else Entry(stripped, entry.origin)


def leave_out_call_ids(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without call ids, for a Gemini endpoint that matches results with calls by position.

    Such an endpoint has no signatures either. Only Gemini's wire format can omit ids. Sources: kimi-cli#1582,
    AstrBot#7386, CLIProxyAPI#5199.
    """
    profile = draft.profile
    if not profile.call_ids or not profile.signs_calls or not has_calls(draft):
        return draft
    bare = sanitize_draft(draft, replace(profile, name=f"{profile.name}-no-ids", call_ids=False))
    bare = replace(bare, entries=without_signatures(bare.entries)) if bare is not draft else bare
    if bare is draft:
        return draft
    return replace(bare, changes=(*bare.changes, note("dropped", 0, "call_ids")))
