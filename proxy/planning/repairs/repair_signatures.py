"""Repairs for a provider that refuses thought signatures, or the ids of signed calls."""

from __future__ import annotations

from dataclasses import replace

from proxy.planning.repairs.draft import (
    Draft,
    has_calls,
    note,
    sanitize_draft,
    with_entries,
    with_messages,
    with_parameters,
)
from proxy.planning.repairs.repair_calls import rename_call_ids
from proxy.planning.signatures.stand_ins import with_stand_ins
from proxy.resilience.read_error import ProviderError
from proxy.upstream.signature_carriers import CALL_SIGNATURE_FIELDS, MESSAGE_SIGNATURE_FIELDS, with_signature
from sanitizers import Message
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


def drop_thoughts(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without Claude's thoughts in its history, and without an effort where they were wanted.

    Thinking that was changed is refused until all of it is gone. A model that thinks with a budget wants a thought
    before the calls of an open turn, so it is not asked to think. Sources: claude-code#19539, #63203 and #20692,
    openai-agents#1704.
    """

    def bare(message: Message) -> Message:
        if _BLOCKS not in message:
            return message
        return {name: value for name, value in message.items() if name != _BLOCKS}

    made = with_messages(draft, bare, "dropped", "thinking_refused", _BLOCKS)
    if not error.says(*_WANTED) or "reasoning_effort" not in made.parameters:
        return made
    rest = {name: value for name, value in made.parameters.items() if name != "reasoning_effort"}
    return with_parameters(made, rest, [note("dropped", 0, "thinking_refused", "reasoning_effort")])


_BLOCKS = "thinking_blocks"
_WANTED = ("expected `thinking` or `redacted_thinking`",)
"""The words of a provider that misses a thought."""


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
