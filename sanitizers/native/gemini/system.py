"""The system instruction of a request as a chat message, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sanitizers.messages import Message
from sanitizers.native.gemini.parts import Part, data_of, is_thought, refuse
from sanitizers.native.protocol import Item
from sanitizers.work_limit import metered

SYSTEM_FORM = "system_form"
"""The reason of a change of a system instruction whose form Gemini refuses."""

_FIELD = "systemInstruction"


def system_message(system: Any) -> list[Message]:
    """Return the message with *system*, a content, a list of parts or a text, or none where it says nothing.

    One text is the message's content, and several texts are parts. Raises
    :class:`~sanitizers.errors.Unrepairable`, with the place, for anything but texts.
    """
    if system is None:
        return []
    if isinstance(system, str):
        return [{"role": "system", "content": system}] if system else []
    texts = [text for part in metered(system_parts(system)) if (text := part["text"])]
    if not texts:
        return []
    if len(texts) == 1:
        return [{"role": "system", "content": texts[0]}]
    return [{"role": "system", "content": [{"type": "text", "text": text} for text in metered(texts)]}]


def system_parts(system: Any) -> list[Part]:
    """Return the parts of *system* that hold texts, as they came. Raises as :func:`system_message` does."""
    held, place = system, _FIELD
    if isinstance(system, dict):
        if not isinstance(system.get("role"), str | None):
            refuse(f"{_FIELD}.role", "must be a string")
        if "parts" not in system and "text" in system:
            held = [system]
        else:
            held, place = system.get("parts"), f"{_FIELD}.parts"
    if held is None:
        return []
    if isinstance(held, dict):
        held = [held]
    if not isinstance(held, list):
        refuse(place, "must be a content with parts, or a text")
    parts: list[Part] = []
    for number, part in enumerate(metered(held)):
        here = f"{place}[{number}]"
        if isinstance(part, str):
            parts.append({"text": part})
            continue
        if not isinstance(part, dict):
            refuse(here, "must be an object")
        data = data_of(part)
        if data.kind and data.kind != "text":
            refuse(f"{here}.{data.key}", "cannot stand in the system instruction, which takes texts alone")
        if data.several:  # parsers differ in which of them counts
            refuse(here, "must have one kind of data")
        if not isinstance(part.get("text"), str | None):
            refuse(f"{here}.text", "must be a string")
        if part.get("text") and not is_thought(part):
            parts.append(part)
    return parts


def is_sound_system(system: Any) -> bool:
    """Tell whether Gemini takes *system*, which :func:`system_message` can read: a content whose parts have texts.

    A text in the place of a content gets "Invalid value at 'system_instruction'".
    """
    if system is None:
        return True
    parts = system.get("parts") if isinstance(system, dict) and "text" not in system else None
    return bool(parts) and isinstance(parts, list) and all(map(_has_text, metered(parts)))


def _has_text(part: Any) -> bool:
    return isinstance(part, dict) and bool(part.get("text"))


def write_system(system: Any, before: Sequence[Message], after: Sequence[Message]) -> Item | None:
    """Return the system instruction for the messages *after*, or None where they say nothing.

    *before* are the messages that *system* was read as. Those that stay keep their parts as they came.
    """
    kept = {id(message): message for message in before}
    parts: list[Part] = []
    for message in metered(after):
        if id(message) in kept:
            parts += [{"text": system}] if isinstance(system, str) else system_parts(system)
            continue
        content = message.get("content")
        said = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        parts += [{"text": part["text"]} for part in metered(said) if part.get("text")]
    if not parts:
        return None
    further = (
        {key: value for key, value in system.items() if key not in ("parts", "text")}
        if (isinstance(system, dict))
        else {}
    )
    return {**further, "parts": parts}
