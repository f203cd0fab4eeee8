"""Take every thought signature out of a history, so that stand-ins are sent in their place. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from proxy.resilience.read_error import ProviderError
from proxy.resilience.repairs.draft import Draft, has_calls, note, with_entries
from proxy.resilience.repairs.rename_call_ids import rename_call_ids
from proxy.wires.gemini.signatures import DUMMY
from sanitizers import Message
from sanitizers.messages import Entries, Entry, base_id, tool_calls_of

_ON_CALLS = (
    ("provider_specific_fields", "thought_signature"),  # litellm
    ("provider_specific_fields", "thought_signatures"),
    ("function", "provider_specific_fields", "thought_signature"),
    ("extra_content", "google", "thought_signature"),  # Google's own OpenAI endpoint
    ("extra_content", "vertex", "thought_signature"),  # pi#6733
    ("function", "thought_signature"),  # Portkey
)
_ON_MESSAGES = tuple(path for path in _ON_CALLS if path[0] != "function")
_STAND_IN = ("extra_content", "google", "thought_signature")


def replace_signatures(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* without a signature in any carrier, the suffix of an id among them.

    Gemini's own wire then puts Google's documented stand-in on the first call of each turn. Its OpenAI endpoint reads
    it from ``extra_content``, so that it is written there too, where a signature was taken out or is said to be
    missing; the other wires leave that field alone. Sources: gemini-cli#13467, Antigravity-Manager#3342, 9router#301;
    ai.google.dev/gemini-api/docs/thought-signatures for the stand-in.
    """
    missing = error.says("missing a thought_signature")
    profile = draft.profile
    if missing and profile.signature_suffixes and not profile.call_ids and has_calls(draft):
        # Only what has ids has signatures (proxy.wires.gemini.contents), and the model says that it is of that kind.
        draft = replace(draft, profile=replace(profile, name=f"{profile.name}-signed", call_ids=True))
    entries, _ = rename_call_ids(draft.entries, base_id)
    entries = tuple(_strip(entry) for entry in entries)
    signed = draft.profile.signature_suffixes and draft.profile.call_ids
    if signed and (missing or entries != draft.entries):
        entries = _with_stand_ins(entries)
    changes = [
        note("replaced", new.origin, "signature")
        for new, old in zip(entries, draft.entries, strict=True)
        if new.message != old.message
    ]
    return with_entries(draft, entries, changes)


def _strip(entry: Entry) -> Entry:
    message = entry.message
    if message["role"] != "assistant":
        return entry
    stripped = _without_all(message, _ON_MESSAGES)
    calls = tool_calls_of(message)
    bare = [_without_all(call, _ON_CALLS) for call in calls]
    if bare != calls:
        stripped = {**stripped, "tool_calls": bare}
    return entry if stripped is message else Entry(stripped, entry.origin)


def _without_all(value: Message, paths: Sequence[Sequence[str]]) -> Message:
    for path in paths:
        value = _without(value, path)
    return value


def _without(value: Message, path: Sequence[str]) -> Message:
    """Return *value* without what stands at *path*, and without a container that held nothing else."""
    name, *rest = path
    if name not in value:
        return value
    if rest:
        inner = value[name]
        left = _without(inner, rest) if isinstance(inner, dict) else inner
        if left is inner:
            return value
        if left:
            return {**value, name: left}
    return {key: kept for key, kept in value.items() if key != name}


def _with_stand_ins(entries: Entries) -> Entries:
    signed: list[Entry] = []
    called = False  # whether a call of this turn stands before
    for entry in entries:
        message = entry.message
        calls = tool_calls_of(message) if message["role"] == "assistant" else []
        if calls and not called:
            first = _with(calls[0], _STAND_IN, DUMMY)
            entry = Entry({**message, "tool_calls": [first, *calls[1:]]}, entry.origin)
        called = message["role"] == "assistant" and (called or bool(calls))
        signed.append(entry)
    return tuple(signed)


def _with(value: Any, path: Sequence[str], leaf: str) -> Any:
    if not path:
        return leaf
    known = value if isinstance(value, dict) else {}
    return {**known, path[0]: _with(known.get(path[0]), path[1:], leaf)}
