"""Step 0: give every message a shape that the later steps and the provider can read.

The modules of this step, in the order in which they run:

    calls        the calls of one message
    contents     the content of one message
    identities   the ids of calls and results, over the whole history
    call_ids     new ids for calls without a usable one
"""

from __future__ import annotations

from collections.abc import Sequence

from sanitizers.changes import Change, MessageChange
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Entries, Entry, Message, is_plain, open_places
from sanitizers.profiles import Profile
from sanitizers.steps.shape.call_ids import NAME
from sanitizers.steps.shape.calls import fit_result_to_call, normalize_calls
from sanitizers.steps.shape.contents import normalize_content
from sanitizers.steps.shape.identities import settle_identities
from sanitizers.synthetic import as_reminder

__all__ = ["NAME", "normalize_shape"]


def normalize_shape(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Normalize every message by itself, drop empty messages, then make the calls' ids usable.

    Invariant: contents and parts are not empty where the profile refuses that. Arguments are a JSON object where the
    profile requires that. Every call has an unambiguous id, and its results carry the same id. System messages stand
    only at the start where the profile requires that. Legacy function calls and results are converted where the profile
    refuses them.

    Sources: "contents.parts must not be empty" (vercel/ai#3775), "it has an empty text parameter" (zuisong#83), "Please
    use a valid role: user, model." (one-api#1385), and those named in the parts.

    Raises :class:`sanitizers.errors.Unrepairable` for a user's part that the provider cannot accept. Returns *entries*
    itself when nothing was changed.
    """
    changes: list[Change] = []
    kept: list[Entry] = []
    as_it_was = True
    takes_any_field = profile.takes_any_field
    started = False  # another role than the system's is among the first `looked` of `kept`
    looked = 0
    done = 0
    for at in open_places(entries):
        kept += entries[done:at]
        done = at + 1
        entry = entries[at]
        message = entry.message
        made: list[MessageChange] = []
        if message["role"] in RESULT_ROLES:
            message = fit_result_to_call(message, kept, profile, made)
        shaped: Message | None = message
        if message["role"] == "developer" and not profile.developer_role:
            made.append(MessageChange("replaced", "developer_role"))
            message = shaped = {**message, "role": "system"}
        if not takes_any_field or not is_plain(message, profile.refused_fields):
            message = normalize_calls(message, profile, made)
            shaped = normalize_content(message, entry.origin, profile, made)
        changes += [change.at(NAME, entry.origin) for change in made]
        as_it_was = as_it_was and shaped is entry.message
        if shaped is None:
            changes.append(Change(NAME, "dropped", entry.origin, "empty_message", entry.message["role"]))
            continue
        if shaped["role"] in SYSTEM_ROLES and not profile.system_anywhere and not started:
            started = _has_started(kept, looked)  # each is looked at once: a history may begin with thousands
            looked = len(kept)
        if shaped["role"] in SYSTEM_ROLES and started:
            # The message stays in its place, word for word. Moving it to the front would change the provider's
            # cached prefix. Its place in time is also part of its meaning.
            shaped = {**shaped, "role": "user"}
            if profile.system_reminders:
                shaped["content"] = as_reminder(shaped.get("content"))
            as_it_was = False
            changes.append(Change(NAME, "replaced", entry.origin, "system_after_start"))
        kept.append(entry if shaped is entry.message else Entry(shaped, entry.origin))
    kept += entries[done:]
    settled, renamed = settle_identities(entries if as_it_was else tuple(kept), profile)
    changes.extend(renamed)
    return (settled, tuple(changes)) if changes else (entries, ())


def _has_started(entries: Sequence[Entry], first: int) -> bool:
    """Tell whether *entries* hold a message of another role than the system's, from the place *first* on."""
    return any(entries[at].message["role"] not in SYSTEM_ROLES for at in range(first, len(entries)))
