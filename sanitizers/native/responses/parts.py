"""Read the content of one item: a message's parts, and the output of a call."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from sanitizers.errors import Unrepairable
from sanitizers.messages import Message, is_part_list
from sanitizers.native.protocol import HELD_PLACEHOLDER, Need, add_needs
from sanitizers.native.responses.held_objects import file_need
from sanitizers.work_limit import metered

TEXT_PARTS = frozenset({"input_text", "output_text", "text"})
"""Types of the parts that hold a text. Clients write all of them under any role."""

_MEDIA_PARTS = ("input_image", "input_file", "input_audio")
_KNOWN = ", ".join(("input_text", *_MEDIA_PARTS, "output_text", "refusal"))

_THINK, _THOUGHT = "<think>", "</think>"
"""The tags in which some clients send thoughts back."""

_DETAILS = {"original": "high"}
"""The details of an image that chat does not have, with the nearest one."""


class Said(NamedTuple):
    """The words of one assistant message. *left_out* are the places of its parts that no message carries."""

    text: str
    refusal: str
    left_out: Sequence[str]


def item_place(index: int) -> str:
    """Return the place of an item, as errors name it in ``param``."""
    return f"input[{index}]"


def refuse(param: str, what: str, rule: str = "input_unreadable") -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` for an input that cannot be read at *param*."""
    raise Unrepairable(f"'{param}' {what}.", rule=rule, param=param)


def refuse_missing(param: str) -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` in OpenAI's words for a field that is not there."""
    raise Unrepairable(f"Missing required parameter: '{param}'.", rule="input_unreadable", param=param)


def as_json(value: Any, param: str) -> str:
    """Return *value* as JSON. Raises :class:`~sanitizers.errors.Unrepairable` where it is nested too deep."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        refuse(param, "is nested too deep")


def text_at(holder: dict[str, Any], name: str, place: str) -> str:
    """Return the text under *name* of what stands at *place*. Null and a missing text are empty.

    Raises :class:`~sanitizers.errors.Unrepairable` for a value of another type.
    """
    value = holder.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(f"{place}.{name}", "must be a string")
    return value


def text_alone(content: Any) -> str | None:
    """Return a content that is a text or a list with one text, as nearly all are. Return None for any other."""
    if content.__class__ is str:
        text: str = content
        return text
    if content.__class__ is not list or len(content) != 1:
        return None
    part = content[0]
    if part.__class__ is not dict or part.get("type") not in ("input_text", "output_text"):
        return None
    held = part.get("text")
    return held if held.__class__ is str else None


def wrapped_thoughts(text: str) -> str | None:
    """Return the thoughts of a *text* that is nothing but thoughts in tags. None for any other text."""
    stripped = text.strip()
    if not (stripped.startswith(_THINK) and stripped.endswith(_THOUGHT)):
        return None
    inner = stripped[len(_THINK) : -len(_THOUGHT)]
    return None if _THINK in inner or _THOUGHT in inner else inner.strip()


def read_content(content: Any, place: str, needs: list[Need]) -> str | list[Message] | None:
    """Return the content of a message of the client's as chat has it. A single text becomes a plain text.

    Null stays null, which the sanitizing steps handle. A file that is known at the provider alone is added to *needs*,
    and a text stands in its place. Raises :class:`~sanitizers.errors.Unrepairable` for unknown parts, and for parts
    without their data.
    """
    if content is None or isinstance(content, str):
        return content
    if not isinstance(content, list):
        refuse(place, "must be a string or an array of content parts")
    parts = [_read_part(part, f"{place}[{number}]", needs) for number, part in enumerate(metered(content))]
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"] or ""
    return parts or ""


def read_said(content: Any, place: str, needs: list[Need]) -> Said:
    """Return the words of an assistant message. Its texts are joined, and so are its refusals.

    A media part cannot stand in an assistant message, and is left out. Its file at the provider is added to *needs*.
    Raises as :func:`read_content` does.
    """
    if content is None or isinstance(content, str):
        return Said(content or "", "", ())
    if not isinstance(content, list):
        refuse(place, "must be a string or an array of content parts")
    texts: list[str] = []
    refusals: list[str] = []
    left_out: list[str] = []
    for number, part in enumerate(metered(content)):
        here = f"{place}[{number}]"
        kind = _kind_of(part, here)
        if kind in TEXT_PARTS:
            texts.append(text_at(part, "text", here))
        elif kind == "refusal":
            refusals.append(text_at(part, "refusal", here))
        elif kind in _MEDIA_PARTS:
            left_out.append(f"content[{number}]:{kind}")
            if part.get("file_id") is not None:
                add_needs(needs, [file_need(f"{here}.file_id", can_be_left_out=True)])
        else:
            _refuse_part(here)
    return Said("".join(texts), "".join(refusals), left_out)


def read_output(output: Any, place: str, needs: list[Need]) -> Any:
    """Return the output of a call as the content of a tool message. Images stay images.

    A list that is no list of parts, or another bare value, is returned as it is: the sanitizing steps write it as JSON.
    Raises as :func:`read_content` does.
    """
    if output is None or output == []:
        return ""
    return read_content(output, place, needs) if is_part_list(output) else output


def read_texts(parts: Any, place: str) -> list[str]:
    """Return the texts of a reasoning item's summary or content, which may be null.

    Raises :class:`~sanitizers.errors.Unrepairable` for what is no list of objects with texts.
    """
    if parts is None:
        return []
    if not isinstance(parts, list):
        refuse(place, "must be an array")
    texts = []
    for number, part in enumerate(metered(parts)):
        here = f"{place}[{number}]"
        if not isinstance(part, dict):
            refuse(here, "must be an object")
        texts.append(text_at(part, "text", here))
    return [text for text in texts if text]


def image_part(holder: dict[str, Any], place: str, needs: list[Need]) -> Message:
    """Return the image of *holder*, an image part or a screenshot, as a part of a chat message.

    A file at the provider is added to *needs*. Raises :class:`~sanitizers.errors.Unrepairable` for an image without an
    address.
    """
    url = holder.get("image_url")
    if isinstance(url, dict):  # chat's form, which some clients send
        url = url.get("url")
    if not _needs_file(holder, place, needs, has_data=url is not None) and url is None:
        refuse_missing(f"{place}.image_url")
    if url is None:
        return _held_part()
    if not isinstance(url, str):
        refuse(f"{place}.image_url", "must be a string")
    detail = holder.get("detail")
    image = {"url": url}
    if isinstance(detail, str):
        image["detail"] = _DETAILS.get(detail, detail)
    return {"type": "image_url", "image_url": image}


def _read_part(part: Any, place: str, needs: list[Need]) -> Message:
    kind = _kind_of(part, place)
    if kind in TEXT_PARTS:
        return {"type": "text", "text": text_at(part, "text", place)}
    if kind == "input_image":
        return image_part(part, place, needs)
    if kind == "input_file":
        return _file_part(part, place, needs)
    if kind == "input_audio":
        audio = part.get("input_audio")
        if not isinstance(audio, dict):
            refuse(f"{place}.input_audio", "must be an object")
        return {"type": "input_audio", "input_audio": audio}
    if kind == "refusal":
        return {"type": "text", "text": text_at(part, "refusal", place)}
    return _refuse_part(place)


def _file_part(part: dict[str, Any], place: str, needs: list[Need]) -> Message:
    for name in ("file_data", "file_url"):
        if given := text_at(part, name, place):
            _needs_file(part, place, needs, has_data=True)
            file = {"file_data": given}
            if filename := text_at(part, "filename", place):
                file["filename"] = filename
            return {"type": "file", "file": file}
    if not _needs_file(part, place, needs, has_data=False):
        refuse_missing(f"{place}.file_data")
    return _held_part()


def _kind_of(part: Any, place: str) -> str:
    if not isinstance(part, dict):
        refuse(place, "must be an object")
    kind = part.get("type")
    return kind if isinstance(kind, str) else _refuse_part(place)


def _refuse_part(place: str) -> NoReturn:
    refuse(f"{place}.type", f"is no known type of content parts. Known types: {_KNOWN}")


def _needs_file(part: dict[str, Any], place: str, needs: list[Need], *, has_data: bool) -> bool:
    """Tell whether *part* names a file at the provider, and add the file to *needs*."""
    if not text_at(part, "file_id", place):
        return False
    add_needs(needs, [file_need(f"{place}.file_id", can_be_left_out=has_data)])
    return True


def _held_part() -> Message:
    return {"type": "text", "text": HELD_PLACEHOLDER}
