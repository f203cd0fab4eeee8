"""Join messages of one role into one, without losing a text, a part or a call of any of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, count
from operator import attrgetter, eq, itemgetter
from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry, Message, is_blank, tool_calls_of
from sanitizers.profiles import Profile

SEPARATOR = "\n\n"
"""The separator between two texts that are joined."""

_MESSAGE, _ROLE = attrgetter("message"), itemgetter("role")

_JOINED = frozenset({"assistant", "user"})


def merge_runs(entries: Entries, profile: Profile, step: str) -> tuple[Entries, tuple[Change, ...]]:
    """Join neighbours of one role where *profile* forbids them. *step* names the step in the changes.

    For every provider, an assistant message with calls is joined with the assistant messages directly after it.
    Otherwise the results could not directly follow the message with their calls. So parallel calls that a client split
    over several messages become one turn.

    Returns *entries* itself when there is nothing to join.
    """
    roles = [*map(_ROLE, map(_MESSAGE, entries))]
    alike = [at for at in compress(count(1), map(eq, roles, roles[1:])) if roles[at] in _JOINED]
    merged: list[Entry] = []
    changes: list[Change] = []
    done = 0
    for at in alike:
        if at <= done:
            continue  # joined with the run before it
        merged += entries[done : at - 1]
        run = [entries[at - 1]]
        done = at
        while done < len(entries) and _must_join(run, roles[done], profile):
            run.append(entries[done])
            done += 1
        _close_run(run, merged, changes, step)
        while len(run) > 1 and done < len(entries) and entries[done].message["role"] == "tool":
            # The calls of these results stand in another message now, so they are new entries, not known to be clean.
            merged.append(Entry(entries[done].message, entries[done].origin))
            done += 1
    return ((*merged, *entries[done:]), tuple(changes)) if changes else (entries, ())


def _must_join(run: list[Entry], role: str, profile: Profile) -> bool:
    """Tell whether a message of *role* must be joined to the *run* before it."""
    if role != run[-1].message["role"]:
        return False
    if role == "assistant":
        return not profile.assistant_runs or len(run) > 1 or bool(tool_calls_of(run[-1].message))
    return role == "user" and not profile.user_runs


def _close_run(run: list[Entry], merged: list[Entry], changes: list[Change], step: str) -> None:
    """Add *run* to *merged*: one message as it is, several joined to one."""
    if len(run) < 2:
        merged += run
        return
    message, lost = join_messages([entry.message for entry in run])
    merged.append(Entry(message, run[0].origin))
    reason = f"{message['role']}_run"
    for entry, names in zip(run[1:], lost, strict=True):
        changes.append(Change(step, "merged", entry.origin, reason, ",".join(names)))


def join_messages(messages: Sequence[Message]) -> tuple[Message, list[list[str]]]:
    """Return all *messages* as one, and for each after the first the names of the fields that it lost.

    Contents and calls are joined in order. Of each other field, the first value that is not blank is kept.
    """
    joined: Message = {}
    lost: list[list[str]] = []
    for message in messages:
        refused = []
        for name, value in message.items():
            if name in ("content", "tool_calls") or is_blank(joined.get(name)):
                joined[name] = value
            elif value != joined[name]:
                refused.append(name)
        lost.append(refused)
    if "content" in joined:
        joined["content"] = join_contents([message.get("content") for message in messages])
    calls = [call for message in messages for call in tool_calls_of(message)]
    if calls:
        joined["tool_calls"] = calls
    return joined, lost[1:]


def join_contents(contents: Sequence[Any]) -> Any:
    """Return several message contents (null, text or parts) as one, in order.

    If all contents are texts, the result is one text.
    """
    said = [content for content in contents if not is_blank(content)]
    if not said:
        return contents[0]
    if len(said) == 1:
        return said[0]
    if all(isinstance(content, str) for content in said):
        return SEPARATOR.join(said)
    return [part for content in said for part in _as_parts(content)]


def _as_parts(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
