"""A request while it is being repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from proxy.resilience.read_error import ProviderError
from sanitizers import Change, Message, Messages, Profile, find_violations
from sanitizers.changes import Kind
from sanitizers.messages import Entries, Entry
from sanitizers.steps import STEPS

NAME = "repair"
"""The step's name in a change."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A request as it would be sent now. Each entry holds the index that its message has in the refused request."""

    entries: Entries
    parameters: Mapping[str, Any]
    profile: Profile
    changes: tuple[Change, ...] = ()

    @property
    def messages(self) -> Messages:
        """The history."""
        return [entry.message for entry in self.entries]

    def is_same_request(self, other: Draft) -> bool:
        """Return True where both drafts are the same on the wire.

        Of a profile's fields, only ``call_ids`` and ``items`` affect what is sent.
        """
        return (
            self.profile.call_ids == other.profile.call_ids
            and self.profile.items == other.profile.items
            and (self.entries is other.entries or self.messages == other.messages)
            and self.parameters == other.parameters
        )


Repair: TypeAlias = Callable[[Draft, ProviderError], Draft]
"""The type of every repair. A repair with nothing to do returns the draft that it got."""


def has_calls(draft: Draft) -> bool:
    """Return True where the history holds a tool call. Repairs of calls need at least one call."""
    return any(entry.message.get("tool_calls") for entry in draft.entries)


def note(kind: Kind, index: int, reason: str, detail: str = "") -> Change:
    """Return the change that a repair made at message *index*.

    A change of a parameter has index 0, and *detail* names the parameter.
    """
    return Change(NAME, kind, index, reason, detail)


def with_entries(draft: Draft, entries: Iterable[Entry], changes: Iterable[Change]) -> Draft:
    """Return *draft* with the history *entries*, sanitized again if the old history was legal.

    Without *changes*, return *draft* itself.
    """
    made = tuple(changes)
    if not made:
        return draft
    was_legal = not find_violations(draft.messages, draft.profile)
    changed = replace(draft, entries=tuple(entries), changes=draft.changes + made)
    return sanitize_draft(changed, draft.profile) if was_legal else changed


def with_messages(
    draft: Draft, make: Callable[[Message], Message], kind: Kind, reason: str, detail: str = ""
) -> Draft:
    """Return *draft* with each message as *make* returns it.

    For a message that needs no change, *make* returns the same object. Every other message is listed as a change for
    *reason*, with *detail*.
    """
    entries = []
    changes = []
    for entry in draft.entries:
        new = make(entry.message)
        if new is not entry.message:
            changes.append(note(kind, entry.origin, reason, detail))
            entry = Entry(new, entry.origin)
        entries.append(entry)
    return with_entries(draft, entries, changes)


def with_parameters(draft: Draft, parameters: Mapping[str, Any], changes: Iterable[Change]) -> Draft:
    """Return *draft* with other parameters. Without *changes*, return *draft* itself."""
    made = tuple(changes)
    return replace(draft, parameters=parameters, changes=draft.changes + made) if made else draft


def sanitize_draft(draft: Draft, profile: Profile) -> Draft:
    """Return *draft* under *profile*, with a history that is legal for it.

    Returns *draft* itself where the history cannot be made legal. Raises :class:`sanitizers.Unrepairable` as the steps
    do.
    """
    if not find_violations(draft.messages, profile):
        return draft if profile == draft.profile else replace(draft, profile=profile)
    entries = draft.entries
    changes: list[Change] = []
    for step in STEPS:
        entries, made = step(entries, profile)
        changes += [replace(change, step=NAME) for change in made]
    messages: list[Message] = [entry.message for entry in entries]
    if not messages or find_violations(messages, profile):
        return draft
    return Draft(entries, draft.parameters, profile, (*draft.changes, *changes))
