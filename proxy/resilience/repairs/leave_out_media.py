"""Leave out media that the provider cannot read, where the user is not asking about them now. Pure."""

from __future__ import annotations

import re
from types import MappingProxyType

from proxy.resilience.read_error import ProviderError
from proxy.resilience.repairs.draft import Draft, note, with_entries
from sanitizers import Message
from sanitizers.messages import MEDIA_PARTS, Entry, is_part_list

_TYPE = re.compile(r"unsupported mime type:? ['\"]?([\w.+-]+(?:/[\w.+-]+)?)")
_WORDS = MappingProxyType(
    {"audio_url": "audio", "file": "file", "image_url": "image", "input_audio": "audio", "video_url": "video"}
)


def leave_out_media(draft: Draft, error: ProviderError) -> Draft:
    """Return *draft* with a note in the place of each medium outside the newest user message.

    Of one type only, where *error* names one. What the user sent just now is never left out: the
    answer would be about something that the model did not see. Sources: crush#995, pollinations#4157,
    Open-Interface#64.
    """
    newest = max(
        (at for at, entry in enumerate(draft.entries) if entry.message["role"] == "user"), default=-1
    )
    named = _TYPE.search(error.words)
    kind = named[1] if named else None
    entries = list(draft.entries)
    changes = []
    for at, (message, origin) in enumerate(entries):
        bad = [part for part in _media(message) if kind is None or _is_of_type(part, kind)]
        if at == newest or not bad:
            continue
        content = [_note(part) if part in bad else part for part in message["content"]]
        entries[at] = Entry({**message, "content": content}, origin)
        changes.append(note("replaced", origin, "media"))
    return with_entries(draft, entries, changes)


def _media(message: Message) -> list[Message]:
    content = message.get("content")
    if not isinstance(content, list) or not is_part_list(content):
        return []
    return [part for part in content if part["type"] in MEDIA_PARTS]


def _is_of_type(part: Message, kind: str) -> bool:
    value = part.get(part["type"])
    if isinstance(value, dict):
        value = value.get("url") or value.get("file_data") or f"data:audio/{value.get('format')}"
    named = value[5:].partition(",")[0].partition(";")[0] if isinstance(value, str) else ""
    return _format(named) == _format(kind)


def _format(kind: str) -> str:
    """Return what a type is of its family: wires write ``image/jpg`` and ``jpg`` as ``image/jpeg``."""
    name = kind.lower().rpartition("/")[2]
    return "jpeg" if name == "jpg" else name


def _note(part: Message) -> Message:
    words = f"[Left out: {_WORDS[part['type']]} that the provider could not read.]"
    return {"type": "text", "text": words}
