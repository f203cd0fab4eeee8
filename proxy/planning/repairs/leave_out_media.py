"""A repair that drops media that the provider cannot read, except those of the user's current question."""

from __future__ import annotations

import re

from proxy.planning.repairs.draft import Draft, note, with_entries
from proxy.resilience.read_error import ProviderError
from sanitizers import Message, Messages
from sanitizers.budget.markers import is_from_user
from sanitizers.messages import MEDIA_PARTS, Entry, first_of_newest_user_turn, is_part_list
from sanitizers.synthetic import left_out

_TYPE = re.compile(r"unsupported mime type:? ['\"]?([\w.+-]+(?:/[\w.+-]+)?)")


def leave_out_media(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a note in place of each medium, except those of the user's current question.

    Where *error* names a media type, only media of that type are dropped. Media of the current question stay, since
    the model would answer about something that it did not see. Sources: crush#995, pollinations#4157,
    Open-Interface#64.
    """
    named = _TYPE.search(error.words)
    kind = named[1] if named else None
    newest = _first_of_newest_own_turn(draft.messages)
    entries = list(draft.entries)
    changes = []
    for at, (message, origin, *_) in enumerate(entries):
        asked_now = message["role"] == "user" and at >= newest
        bad = {
            number
            for number, part in enumerate(_parts(message))
            if part["type"] in MEDIA_PARTS
            and (kind is None or _is_of_type(part, kind))
            and not (asked_now and _is_own(message, number))
        }
        if not bad:
            continue
        content = [
            {"type": "text", "text": left_out(part["type"])} if number in bad else part
            for number, part in enumerate(message["content"])
        ]
        entries[at] = Entry({**message, "content": content}, origin)
        changes.append(note("replaced", origin, "media"))
    return with_entries(draft, entries, changes)


def _first_of_newest_own_turn(messages: Messages) -> int:
    """Return the index of the newest turn with the user's own words or media.

    User turns that steps inserted do not count.
    """
    kept = [at for at, message in enumerate(messages) if message["role"] != "user" or _says_own(message)]
    first = first_of_newest_user_turn([messages[at] for at in kept])
    return kept[first] if first < len(kept) else len(messages)


def _says_own(message: Message) -> bool:
    parts = _parts(message)
    if not parts:
        return is_from_user(message)
    return any(_is_own(message, number) for number in range(len(parts)))


def _is_own(message: Message, number: int) -> bool:
    """Return False for media of a tool's result and for the line that introduces it, else True.

    A merged message may hold both.
    """
    around = message["content"][max(number - 1, 0) : number + 1]
    return all(is_from_user({"role": "user", "content": [part]}) for part in around)


def _parts(message: Message) -> list[Message]:
    content = message.get("content")
    return content if isinstance(content, list) and is_part_list(content) else []


def _is_of_type(part: Message, kind: str) -> bool:
    value = part.get(part["type"])
    if isinstance(value, dict):
        value = value.get("url") or value.get("file_data") or f"data:audio/{value.get('format')}"
    named = value[5:].partition(",")[0].partition(";")[0] if isinstance(value, str) else ""
    return _format(named) == _format(kind)


def _format(kind: str) -> str:
    """Return the subtype of a media type. Wires write ``image/jpg`` and ``jpg`` as ``image/jpeg``."""
    name = kind.lower().rpartition("/")[2]
    return "jpeg" if name == "jpg" else name
