"""Make inline media readable for the provider, or replace it with a note."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sanitizers.changes import Change
from sanitizers.errors import Unrepairable
from sanitizers.media.reading import READ_PARTS
from sanitizers.messages import (
    MEDIA_FREE_ROLES,
    Entries,
    Entry,
    first_of_newest_user_turn,
    is_part_list,
    open_places,
)
from sanitizers.profiles import Profile
from sanitizers.steps.media.mending import Fault, mend_part
from sanitizers.synthetic import left_out

NAME = "media"


def check_media(entries: Entries, profile: Profile) -> tuple[Entries, tuple[Change, ...]]:
    """Repair the type and notation of media parts, and replace parts that cannot be sent with a note.

    Invariant: a ``data:`` URL reads ``data:<type>;base64,<payload>``, and the payload is base64. Its type is one that
    the profile accepts, and its first bytes do not show another. Media is named by address only where the provider
    fetches.

    A part of the newest user turn that cannot be repaired is refused, since the model would answer about something that
    it did not see. Elsewhere a note replaces the part, and a change names it. An old image must not end a conversation
    that fell back to a model without images. A tool's image must not either, since the client cannot choose it.

    Sources: "Provided image is not valid" (pollinations#4157), "Unsupported MIME type: image/jpg" (crush#995).

    The step comes before all others, so that places are those of the client's messages. ``shape`` drops media in roles
    that can hold none. Raises :class:`Unrepairable` with the place in ``param``. Returns *entries* itself when nothing
    was changed.
    """
    checked = list(entries)
    changes: list[Change] = []
    newest = cache(lambda: first_of_newest_user_turn([entry.message for entry in entries]))
    for at in open_places(entries):
        entry = entries[at]
        content = entry.message.get("content")
        if content.__class__ is not list or not is_part_list(content):
            continue
        role = entry.message["role"]
        if role in MEDIA_FREE_ROLES:
            continue

        def asked_now(at: int = at, role: str = role) -> bool:
            return role == "user" and at >= newest()

        parts = [_checked(entry, number, profile, changes, asked_now) for number in range(len(content))]
        if any(new is not old for new, old in zip(parts, content, strict=True)):
            checked[at] = Entry({**entry.message, "content": parts}, entry.origin)
    return (tuple(checked), tuple(changes)) if changes else (entries, ())


def _checked(
    entry: Entry, number: int, profile: Profile, changes: list[Change], asked_now: Callable[[], bool]
) -> dict[str, Any]:
    origin = entry.origin
    part: dict[str, Any] = entry.message["content"][number]
    kind = part["type"]
    if (kind not in READ_PARTS and kind not in profile.refused_media) or kind in profile.refused_parts:
        return part
    found = mend_part(part, profile)
    place = f"content[{number}]"
    if not isinstance(found, Fault):
        if found.reason:
            changes.append(Change(NAME, "replaced", origin, found.reason, place))
        return found.part
    if asked_now():
        raise Unrepairable(
            f"'messages[{origin}].{place}' {found.what}. {_advice(found)}",
            rule=found.rule,
            param=f"messages[{origin}].{place}.{kind}",
            index=origin,
        )
    changes.append(Change(NAME, "replaced", origin, "left_out", f"{place}:{found.rule}"))
    return {"type": "text", "text": left_out(kind)}


def _advice(fault: Fault) -> str:
    if fault.rule == "remote_media":
        return (
            "Send the bytes as a data: URL; what http and https addresses name can be fetched here, if the operator "
            "sets general_settings.media.fetch."
        )
    return "Send data:<type>;base64,<bytes>, with a type that the model takes."
