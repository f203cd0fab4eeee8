"""Repairs of roles, and of fields that some providers require of a role."""

from __future__ import annotations

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers.messages import SYSTEM_ROLES, Entry


def system_as_user(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with system messages as user messages, their words unchanged.

    Source: "'messages[0].role' does not support 'system' with this model" (litellm#5671). o1-mini takes no developer
    message either (agent-framework#1077).
    """
    entries = [
        Entry({**message, "role": "user"}, at) if message["role"] in SYSTEM_ROLES else Entry(message, at)
        for message, at, *_ in draft.entries
    ]
    changes = [
        note("replaced", at, "system_as_user")
        for message, at, *_ in draft.entries
        if message["role"] in SYSTEM_ROLES
    ]
    return with_entries(draft, entries, changes)


def add_reasoning(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with an empty ``reasoning_content`` on the model's turns that lack one.

    Source: "The `reasoning_content` in the thinking mode must be passed back to the API." (kimi-cli#2141).
    hermes-agent#15353 uses an empty one.
    """
    if "reasoning_content" in draft.profile.refused_fields:
        return draft
    entries = list(draft.entries)
    changes = []
    for place, (message, at, *_) in enumerate(entries):
        if message["role"] == "assistant" and message.get("reasoning_content") is None:
            entries[place] = Entry({**message, "reasoning_content": ""}, at)
            changes.append(note("inserted", at, "reasoning_content"))
    return with_entries(draft, entries, changes)
