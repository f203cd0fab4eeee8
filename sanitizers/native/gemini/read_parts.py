"""Read the parts of a content as the parts of a chat message, and collect what no chat message carries."""

from __future__ import annotations

import re
from typing import Any

from sanitizers.changes import Change
from sanitizers.messages import Message
from sanitizers.native.gemini.addresses import kind_of_address
from sanitizers.native.gemini.parts import (
    Data,
    Part,
    as_json,
    canonical_base64,
    checked_value,
    data_of,
    is_thought,
    refuse,
    text_at,
    unknown_data,
)
from sanitizers.native.protocol import HELD_PLACEHOLDER, Need, add_needs
from sanitizers.work_limit import metered

STEP = "items"
"""The step's name of what a chat cannot have of the client's own format."""

PLAIN_FIELDS = frozenset({"text", "thought", "thoughtSignature", "thought_signature"})
"""The fields of a text part that a chat needs no report of."""

_MEDIA_TYPE = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}(?: ?; ?[\w.+-]{1,64}=[\w.+\"-]{1,64}){0,4}", re.ASCII)
_FILE_FIELDS = ("fileId", "fileUri", "file_id", "file_uri", "uri")
_SIGNATURE = frozenset({"thought", "thoughtSignature", "thought_signature"})


class PartReader:
    """Reads one part after the other. *needs* and *changes* are added to."""

    def __init__(self) -> None:
        self.needs: list[Need] = []
        self.changes: list[Change] = []
        self._reported: set[tuple[int, str]] = set()

    def read(self, part: Part, data: Data, place: str, index: int, *, media: bool) -> Message | None:
        """Return the content part of a chat message for *part* at *place*, or None where no message carries it.

        With *media*, inline bytes become a media part. Without *media*, a text names their type. Other data becomes a
        text that describes or holds it. *index* is that of the content.
        """
        if is_thought(part):
            self.report("dropped", index, "thought", place)
            add_needs(self.needs, _needs_of_thought(part, data, place))
            return None
        if not data.kind:
            return self._unknown(part, place)
        if data.kind == "text":
            if not part.keys() <= PLAIN_FIELDS:
                self.report_fields(part, data, place, index)
            return {"type": "text", "text": data.value} if data.value else None
        value = checked_value(part, data, place)
        self.report_fields(part, data, place, index)
        if data.kind == "inlineData":
            return self._inline(value, f"{place}.{data.key}", index, media=media)
        if data.kind == "fileData":
            return self._file(value, f"{place}.{data.key}", index, media=media)
        if data.kind == "executableCode":
            language = text_at(value, "language").lower()
            return _text(f"```{language}\n{text_at(value, 'code')}\n```")
        if data.kind == "codeExecutionResult":
            return _text(f"```\n{text_at(value, 'output')}\n```")
        return _text(f"```json\n{as_json(value, place)}\n```")

    def read_nested(self, part: Part, place: str, index: int) -> Message | None:
        """Return the content part for *part* of a function response, or None for all but media.

        A response holds no other parts (ai.google.dev/api/caching, 2026-08). Refuses a part with a second kind of data:
        a repair would leave that one alone.
        """
        data = data_of(part)
        if data.several:
            refuse(place, "must have one kind of data")
        if data.kind in ("fileData", "inlineData"):
            return self.read(part, data, place, index, media=True)
        if _names_file(part):
            add_needs(self.needs, [_object_need(place, can_be_left_out=True)])
        return None

    def report(self, kind: Any, index: int, reason: str, place: str) -> None:
        """Report what a chat has not of the content at *index*: each reason once for a content."""
        if (index, reason) not in self._reported:
            self._reported.add((index, reason))
            self.changes.append(Change(STEP, kind, index, reason, place))

    def report_fields(self, part: Part, data: Data, place: str, index: int) -> None:
        """Report the first field of *part* beside its data and its signature."""
        for name, value in part.items():
            if name != data.key and name not in _SIGNATURE and value is not None:
                self.report("dropped", index, "part_field", f"{place}.{name}")
                return

    def _unknown(self, part: Part, place: str) -> Message | None:
        """Return a placeholder for data of a kind that is not known here, or None for no data at all."""
        key = unknown_data(part)
        if key is None:
            return None
        add_needs(self.needs, needs_of_data(part[key], f"{place}.{key}"))
        return _text(HELD_PLACEHOLDER)

    def _inline(self, value: Part, place: str, index: int, *, media: bool) -> Message:
        mime_type, given = text_at(value, "mimeType", "mime_type"), text_at(value, "data")
        if not media:
            self.report("replaced", index, "media_of_model", place)
            return _text(f"[{mime_type or 'media'}]")
        if mime_type and not _MEDIA_TYPE.fullmatch(mime_type):
            refuse(f"{place}.mimeType", "must be a media type")
        encoded = canonical_base64(given)
        if mime_type.startswith("audio/"):
            audio = {"data": encoded, "format": mime_type[len("audio/") :]}
            return {"type": "input_audio", "input_audio": audio}
        return _by_address(
            f"data:{mime_type};base64,{encoded}", mime_type, text_at(value, "displayName", "display_name")
        )

    def _file(self, value: Part, place: str, index: int, *, media: bool) -> Message:
        address, mime_type = text_at(value, "fileUri", "file_uri"), text_at(value, "mimeType", "mime_type")
        kind = kind_of_address(address)
        here = f"{place}.{'file_uri' if 'file_uri' in value else 'fileUri'}"
        if not address:
            refuse(here, "must be the address of a file")
        if kind == "object" and not media:
            add_needs(self.needs, [_object_need(here, can_be_left_out=True)])
            self.report("replaced", index, "media_of_model", here)
            return _text(f"[File {mime_type}]" if mime_type else "[File]")
        if kind in ("object", "video"):
            add_needs(self.needs, [_object_need(here) if kind == "object" else _video_need(here)])
            return _text(HELD_PLACEHOLDER)
        if media and (kind == "inline" or address[:6].lower() == "https:"):
            return _by_address(address, mime_type)
        self.report("replaced", index, "file_address", here)
        return _text(f"[{' '.join(filter(None, ('File', address if kind == 'web' else '', mime_type)))}]")


def _by_address(address: str, mime_type: str, name: str = "") -> Message:
    """Return the media part for *address*. A chat takes images apart from other files.

    OpenAI refuses the bytes of a file without a name: "Missing required parameter:
    'messages[0].content[1].file.file_id'" (openai-agents-python#1513).
    """
    if mime_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": address}}
    file = {"file_data": address}
    if address.startswith("data:"):
        subtype = mime_type.partition("/")[2].partition(";")[0].strip()
        file["filename"] = name or f"file.{subtype or 'bin'}"
    return {"type": "file", "file": file}


def _object_need(place: str, *, can_be_left_out: bool = False) -> Need:
    return Need(
        f"'{place}' names an object that is stored at a provider, which this model cannot be given.",
        "provider_object",
        place,
        names_object=True,
        can_be_left_out=can_be_left_out,
    )


def _needs_of_thought(part: Part, data: Data, place: str) -> tuple[Need, ...]:
    """Return the need for an object that a thought names. A chat leaves the thought out, and Gemini gets it."""
    if data.kind == "fileData":
        value = checked_value(part, data, place)
        names_object = kind_of_address(text_at(value, "fileUri", "file_uri")) == "object"
        return (_object_need(f"{place}.{data.key}", can_be_left_out=True),) if names_object else ()
    key = None if data.kind else unknown_data(part)
    if key is None or not _names_file(part[key]):
        return ()
    return (_object_need(f"{place}.{key}", can_be_left_out=True),)


def _video_need(place: str) -> Need:
    return Need(f"'{place}' names a video that Gemini alone can watch.", "gemini_media", place)


def needs_of_data(value: Any, place: str) -> tuple[Need, ...]:
    """Return the needs for data that is not read here, such as that of an unknown kind.

    It may name a file as known data does, and another client's.
    """
    need = Need(f"'{place}' is data that Gemini alone can read.", "gemini_part", place)
    return (need, _object_need(place)) if _names_file(value) else (need,)


def _names_file(value: Any) -> bool:
    """Tell whether *value* has the address of a file anywhere, without recursion: a client may nest objects deeply."""
    open_values: list[Any] = [value]
    while open_values:
        held = open_values.pop()
        if isinstance(held, dict):
            if any(isinstance(held.get(name), str) for name in _FILE_FIELDS):
                return True
            open_values += metered(held.values())
        elif isinstance(held, list):
            open_values += metered(held)
    return False


def _text(text: str) -> Message:
    return {"type": "text", "text": text}
