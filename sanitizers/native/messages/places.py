"""The places of a Messages request in Anthropic's notation, and the refusals and needs that name them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import orjson

from sanitizers.errors import Unrepairable
from sanitizers.native.protocol import Need
from sanitizers.work_limit import metered

RULE = "message_unreadable"
"""The rule of refusals of messages and blocks."""

_SHOWN = 40


def message_place(index: int) -> str:
    """Return the place of the message at *index*."""
    return f"messages.{index}"


def refuse(param: str, what: str, rule: str = RULE, index: int | None = None) -> NoReturn:
    """Raise :class:`~sanitizers.errors.Unrepairable` in Anthropic's words for what cannot be read at *param*."""
    raise Unrepairable(f"{param}: {what}", rule=rule, param=param, index=index)


def text_at(holder: Mapping[str, Any], name: str, place: str) -> str:
    """Return the text under *name* of what stands at *place*. Null and a missing text are empty.

    Raises :class:`~sanitizers.errors.Unrepairable` for a value of another type.
    """
    value = holder.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        refuse(f"{place}.{name}", "Input should be a valid string")
    return value


def kind_of(block: Any, place: str) -> str:
    """Return the type of *block*. Raises :class:`~sanitizers.errors.Unrepairable` for what is no block."""
    if not isinstance(block, dict):
        refuse(place, "Input should be a valid dictionary")
    kind = block.get("type")
    if not isinstance(kind, str):
        refuse(f"{place}.type", "Field required" if kind is None else "Input should be a valid string")
    return kind


def as_json(value: Any, place: str) -> str:
    """Return *value* as compact JSON. Raises :class:`~sanitizers.errors.Unrepairable` where it is nested too deep."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, UnicodeEncodeError):
        refuse(place, "Input is nested too deep or holds a number or a text that JSON cannot hold")


def claude_need(place: str, kind: str) -> Need:
    """Return the need for a block at *place* whose type *kind* only Claude can read."""
    return Need(
        f"{place}: blocks of the type '{kind[:_SHOWN]}' are supported by Claude alone", "claude_block", place
    )


def unknown_needs(block: Mapping[str, Any], place: str, kind: str) -> tuple[Need, ...]:
    """Return the needs for a *block* at *place* of a type that is not known here.

    It may name a file as known blocks do, and the file may be another client's.
    """
    need = claude_need(place, kind)
    return (need, object_need(place)) if _names_file(block) else (need,)


def object_need(place: str, *, can_be_left_out: bool = False) -> Need:
    """Return the need for the object at the provider that stands at *place*."""
    return Need(
        f"{place}: this names an object that is stored at a provider, which this model cannot be given",
        "provider_object",
        place,
        names_object=True,
        can_be_left_out=can_be_left_out,
    )


def _names_file(block: Mapping[str, Any]) -> bool:
    """Tell whether *block* has a ``file_id`` anywhere, without recursion: a client may nest objects deeply."""
    open_values: list[Any] = [block]
    while open_values:
        value = open_values.pop()
        if isinstance(value, dict):
            if isinstance(value.get("file_id"), str):
                return True
            open_values += metered(value.values())
        elif isinstance(value, list):
            open_values += metered(value)
    return False
