"""Drop tool results that no call precedes, and all but the last result of a call."""

from __future__ import annotations

from itertools import compress

from sanitizers.changes import Change
from sanitizers.messages import Entries, open_places, tool_calls_of
from sanitizers.profiles import Profile

NAME = "orphan_drop"


def drop_orphaned_results(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Drop each tool result whose call has not been seen, or which a later result of the same call replaces.

    Invariant: a ``role: tool`` message answers a call made earlier in the history, and a call has one result. A later
    call may use an id again. From there on the id means the later call, so that one set of all ids would not suffice.

    The last result of a call is kept in the place of the first result, so that the turns around that place stay apart.
    Some clients post a placeholder first and the real result later (adk-python).

    Source: OpenAI "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'"
    (autogen#3178). Gemini "function response turn comes immediately after a function call turn" (langchain#27799). Both
    errors were seen after clients had removed old messages.

    A late result is not an orphan: ``pairing`` moves it up. The step relies on ``shape``, which made ids unambiguous.
    Returns *entries* itself when every result has its call.
    """
    latest: dict[str, tuple[int, int]] = {}  # call id -> the call that it means now
    results_of: dict[tuple[int, int], list[int]] = {}
    orphans: list[int] = []
    for at in open_places(entries):
        message = entries[at].message
        role = message["role"]
        if role == "assistant":
            for number, call in enumerate(tool_calls_of(message)):
                latest[call["id"]] = (at, number)
        elif role == "function" and not message.get("name"):
            orphans.append(at)
        elif role == "tool":
            call_at = latest.get(message.get("tool_call_id") or "")
            if call_at is None:
                orphans.append(at)
            else:
                results_of.setdefault(call_at, []).append(at)
    superseded = {at: found[-1] for found in results_of.values() for at in found[:-1]}
    if not orphans and not superseded:
        return entries, ()
    kept = list(entries)
    for found in results_of.values():
        # The last result takes the place of the first, so that the turns behind it stay where they are.
        kept[found[0]] = entries[found[-1]]
    gone = {*orphans, *(at for found in results_of.values() for at in found[1:])}
    dropped = [(at, "orphaned_result") for at in orphans] + [(at, "superseded_result") for at in superseded]
    changes = tuple(
        Change(NAME, "dropped", entries[at].origin, reason, entries[at].message.get("tool_call_id") or "")
        for at, reason in sorted(dropped)
    )
    stays = [True] * len(kept)
    for at in gone:
        stays[at] = False
    return tuple(compress(kept, stays)), changes
