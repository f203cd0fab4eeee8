"""Join or fold system messages where a provider has one system message, or none."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.merging import join_contents, join_messages
from sanitizers.messages import SYSTEM_ROLES, Entries, Entry
from sanitizers.profiles import Profile
from sanitizers.steps.dialect.name import NAME


def gather_systems(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Join the leading system messages to one, or put their texts before the first user message.

    Invariant: at most one system message leads where the profile says so, and none where the provider has no such role.

    Source: "After the optional system message, conversation roles must alternate …" (llama_index#11731). "System role
    not supported" [from memory], "Developer instruction is not enabled" (deprecated-generative-ai-python#278).
    """
    if profile.many_systems and profile.system_role:
        return entries, ()
    lead = next(
        (at for at, entry in enumerate(entries) if entry.message["role"] not in SYSTEM_ROLES), len(entries)
    )
    if not profile.system_role:
        return _fold(entries, lead)
    if lead < 2:
        return entries, ()
    joined, lost = join_messages([entry.message for entry in entries[:lead]])
    changes = tuple(
        Change(NAME, "merged", entry.origin, "system_run", ",".join(names))
        for entry, names in zip(entries[1:lead], lost, strict=True)
    )
    return (Entry(joined, entries[0].origin), *entries[lead:]), changes


def _fold(entries: Entries, lead: int) -> tuple[Entries, tuple[Change, ...]]:
    if not lead:
        return entries, ()
    first = entries[lead]  # a user's: user_prepend has seen to it
    contents = [entry.message.get("content") for entry in entries[: lead + 1]]
    folded = Entry({**first.message, "content": join_contents(contents)}, first.origin)
    changes = tuple(
        Change(NAME, "merged", entry.origin, "system_unsupported", ",".join(_others(entry)))
        for entry in entries[:lead]
    )
    return (folded, *entries[lead + 1 :]), changes


def _others(entry: Entry) -> list[str]:
    """Return the fields of a system message that are lost when its text is folded."""
    return sorted(name for name, value in entry.message.items() if name not in ("content", "role") and value)
