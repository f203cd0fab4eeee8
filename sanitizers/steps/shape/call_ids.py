"""Give new ids to calls whose id is missing or unusable, and write each call's id into its results."""

from __future__ import annotations

import base64
import binascii
import string
from collections.abc import Iterator
from dataclasses import dataclass, field

from sanitizers.changes import Change
from sanitizers.messages import Entries, Entry, base_id, tool_calls_of
from sanitizers.profiles import Profile
from sanitizers.synthetic import DerivedIds

NAME = "shape"

_TOKEN = frozenset(string.ascii_letters + string.digits + "_-")
_LETTERS = frozenset(string.ascii_letters + string.digits)


@dataclass(slots=True)
class PairedCall:
    """One call: *number* is its index in the message at index *at*, and *run* is the number of its turn."""

    at: int
    number: int
    run: int
    id: str
    name: str
    results: list[int] = field(default_factory=list)


def write_ids(
    entries: Entries, calls: list[PairedCall], profile: Profile
) -> tuple[Entries, tuple[Change, ...]]:
    """Return the history with a usable id on each of *calls* and its results.

    Returns *entries* itself if all calls and results already had usable ids.
    """
    identity = base_id if profile.signs_calls else str
    derived: DerivedIds | None = None
    earlier: dict[str, PairedCall] = {}
    new_ids: dict[tuple[int, int], str] = {}
    result_ids: dict[int, str] = {}
    changes: list[Change] = []
    for call in calls:
        reason = _why_not(call, earlier.get(identity(call.id)), profile)
        if reason:
            original = call.id
            if derived is None:
                taken = {identity(i) for i in _ids_in(entries)}
                derived = DerivedIds(taken, nine=profile.call_id_form == "nine")
            # An id with a wrong form is replaced by a digest of itself, not of its place. So the new id stays the
            # same when a client cuts the front of the history.
            misspelled = reason in ("call_id_illegal", "call_id_too_long")
            place = (0, 0) if misspelled else (entries[call.at].origin, call.number)
            call.id = derived.derive(*place, original)
            new_ids[call.at, call.number] = call.id
            changes.append(Change(NAME, "replaced", entries[call.at].origin, reason, call.id))
        earlier[identity(call.id)] = call
        for at in call.results:
            if entries[at].message.get("tool_call_id") != call.id:
                result_ids[at] = call.id
                changes.append(Change(NAME, "replaced", entries[at].origin, "result_id", call.id))
    if not changes:
        return entries, ()
    written = list(entries)
    for at, result_id in result_ids.items():
        written[at] = Entry({**entries[at].message, "tool_call_id": result_id}, entries[at].origin)
    for at in dict.fromkeys(at for at, _ in new_ids):
        message = entries[at].message
        renamed = [
            {**raw, "id": new_ids[at, number]} if (at, number) in new_ids else raw
            for number, raw in enumerate(tool_calls_of(message))
        ]
        written[at] = Entry({**message, "tool_calls": renamed}, entries[at].origin)
    return tuple(written), tuple(sorted(changes, key=lambda change: change.index))


def _ids_in(entries: Entries) -> Iterator[str]:
    for entry in entries:
        if entry.message["role"] == "assistant":
            yield from (call.get("id") or "" for call in tool_calls_of(entry.message))


def _why_not(call: PairedCall, same: PairedCall | None, profile: Profile) -> str | None:
    """Return the reason why *call* cannot keep its id, or None. *same* is the last earlier call with that id."""
    if not call.id:
        return "call_id_missing"
    if profile.max_call_id_length is not None and len(call.id) > profile.max_call_id_length:
        return "call_id_too_long"
    if profile.signs_calls and not _signature_readable(call.id):
        return "signature_unreadable"
    if not _is_spelled(call.id, profile):
        return "call_id_illegal"
    if same is not None and profile.unique_call_ids:
        return "call_id_repeated"
    if same is not None and (not same.results or min(same.results) > call.at or same.run == call.run):
        return "call_id_repeated"
    return None


def _is_spelled(call_id: str, profile: Profile) -> bool:
    """Tell whether an id has the form that the profile requires."""
    if profile.call_id_form == "nine":
        return len(call_id) == 9 and _LETTERS.issuperset(call_id)
    return profile.call_id_form == "any" or _TOKEN.issuperset(call_id)


def _signature_readable(call_id: str) -> bool:
    """Tell whether an id's ``__thought__`` suffix, if there is one, can be decoded.

    litellm passes the suffix on unchanged.
    """
    _, mark, signature = call_id.partition("__thought__")
    if not mark:
        return True
    try:
        return bool(base64.b64decode(signature.replace("-", "+").replace("_", "/"), validate=True))
    except (binascii.Error, ValueError):
        return False
