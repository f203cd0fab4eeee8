"""Separate the model's text from its calls, where a provider refuses both in one turn."""

from __future__ import annotations

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry, is_blank, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.steps.dialect.name import NAME
from sanitizers.synthetic import CONTINUE


def separate_texts_from_calls(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Move the text before calls to a turn of its own, with a user turn between that asks the model to go on.

    Invariant: an assistant message holds a text or calls, where the profile refuses both.

    Source: "Conversation blocks and tool use blocks cannot be provided in the same turn." (quarkus-langchain4j#1983).
    """
    if profile.calls_with_text:
        return entries, ()
    parted: list[Entry] = []
    changes: list[Change] = []
    for entry in entries:
        message, origin = entry.message, entry.origin
        if not tool_calls_of(message) or is_blank(message.get("content")):
            parted.append(entry)
            continue
        words = {"role": "assistant", "content": message["content"]}
        parted += [
            Entry(words, origin),
            Entry({"role": "user", "content": CONTINUE}, origin),
            Entry({**message, "content": None}, origin),
        ]
        changes.append(Change(NAME, "inserted", origin, "text_beside_calls"))
    return (tuple(parted), tuple(changes)) if changes else (entries, ())
