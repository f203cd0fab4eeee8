"""Give the tools of a history names that the profile allows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry, open_places
from sanitizers.profiles import Profile
from sanitizers.tool_names import choose_names, names_in_history, rename_message


def rename_called_tools(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Change each tool name that the profile refuses, on calls and results, everywhere to the same name.

    Invariant: every name of a tool follows ``profile.tool_names``.

    :func:`sanitizers.tool_names.rename_tools` does this for requests, together with the declared tools. This step then
    finds nothing to do. Source: the providers' rules in :mod:`sanitizers.name_rules`.
    """
    if not _choose_names([entries[at] for at in open_places(entries)], profile):
        return entries, ()
    names = _choose_names(entries, profile)
    renamed: list[Entry] = []
    changes: list[Change] = []
    for entry in entries:
        message, made = rename_message(entry.message, entry.origin, names)
        changes += made
        renamed.append(entry if message is entry.message else Entry(message, entry.origin))
    return tuple(renamed), tuple(changes)


def _choose_names(entries: Sequence[Entry], profile: Profile) -> Mapping[str, str]:
    return choose_names(names_in_history([entry.message for entry in entries]), profile.tool_names)
