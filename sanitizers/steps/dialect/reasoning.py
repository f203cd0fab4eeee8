"""Add empty reasoning where a provider requires it back and the client has not kept it."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry
from sanitizers.profiles import Profile
from sanitizers.steps.dialect.name import NAME


def echo_reasoning(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Give each assistant message without ``reasoning_content`` an empty one, where the profile requires it.

    Invariant: every assistant message has ``reasoning_content``, a text.

    Source: DeepSeek "The `reasoning_content` in the thinking mode must be passed back to the API." An empty one is
    accepted (hermes#15353). Reasoning that the client did not keep is lost: none is made up.
    """
    if not profile.echoes_reasoning:
        return entries, ()
    echoed = list(entries)
    changes: list[Change] = []
    for at, entry in enumerate(entries):
        message = entry.message
        if message["role"] == "assistant" and not isinstance(message.get("reasoning_content"), str):
            echoed[at] = Entry({**message, "reasoning_content": ""}, entry.origin)
            changes.append(Change(NAME, "inserted", entry.origin, "reasoning_content"))
    return (tuple(echoed), tuple(changes)) if changes else (entries, ())
