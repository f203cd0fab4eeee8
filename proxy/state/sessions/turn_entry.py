"""The stored form of one step of a conversation: a response's items, and the place of these items in a chain.

A step holds its own items alone, not those before it. It names its 64 nearest ancestors with their sizes. So a
conversation of up to 65 steps is read in two look-ups, and its size is known before it is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from proxy.state.sessions.turn_window import START, Counted

NEAREST = 64
"""The most ancestors that a step names."""


class Link(NamedTuple):
    """One step of a chain: its id, its bytes as stored and as JSON, and the turns of the chain up to its end."""

    id: str
    stored_bytes: int
    raw_bytes: int
    turns: int


@dataclass(frozen=True, slots=True)
class Position:
    """The end of a chain: its newest steps, the newest first, its first step, and the turns so far."""

    links: tuple[Link, ...] = ()
    root: str | None = None
    counted: Counted = START

    def after(self, link: Link, counted: Counted) -> Position:
        """Return the position behind a further step."""
        return Position((link, *self.links)[:NEAREST], self.root or link.id, counted)


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """One step. *before* is the position in front of it, and *counted* has the turns up to its end.

    *input_bytes* are the bytes of its input as stored and as JSON, since the input is a value of its own. *is_deleted*
    is true for a deleted response whose items belong to a conversation.
    """

    before: Position
    counted: Counted
    output: Sequence[Mapping[str, Any]]
    input_bytes: tuple[int, int]
    parent_id: str | None = None
    conversation_id: str | None = None
    model: str = ""
    created_at: int = 0
    is_deleted: bool = False


def turn_key(id_: str) -> str:
    """Return the key of the step *id_*."""
    return f"t:{id_}"


def input_key(id_: str) -> str:
    """Return the key of the input items of the step *id_*."""
    return f"n:{id_}"


def response_key(id_: str) -> str:
    """Return the key of the response object *id_*."""
    return f"r:{id_}"


def item_key(id_: str) -> str:
    """Return the key under which the place of the item *id_* stands."""
    return f"i:{id_}"


def conversation_key(id_: str) -> str:
    """Return the key of the conversation *id_*."""
    return f"c:{id_}"


def position_values(position: Position) -> dict[str, Any]:
    """Return *position* as JSON values. Raises :class:`ValueError` for an id with white space.

    The ancestors are one text, which is only read where a chain goes on behind them.
    """
    if any(link.id.split() != [link.id] for link in position.links):
        raise ValueError("an id with white space")
    return {
        "links": "\n".join(f"{link[0]} {link[1]} {link[2]} {link[3]}" for link in position.links),
        "root": position.root,
        "turns": position.counted.turns,
        "asks": position.counted.asks,
    }


def read_position(values: Any) -> Position:
    """Return the position in JSON *values*. Raises :class:`ValueError` for values of another form."""
    try:
        links = tuple(_read_link(line) for line in _text(values["links"]).split("\n") if line)
        root = None if values["root"] is None else _text(values["root"])
        return Position(links, root, Counted(_number(values["turns"]), values["asks"] is True))
    except (KeyError, TypeError) as error:
        raise ValueError("not a position") from error


def turn_values(entry: TurnEntry) -> dict[str, Any]:
    """Return *entry* as JSON values."""
    return {
        "before": position_values(entry.before),
        "turns": entry.counted.turns,
        "asks": entry.counted.asks,
        "output": entry.output,
        "input_bytes": entry.input_bytes,
        "parent_id": entry.parent_id,
        "conversation_id": entry.conversation_id,
        "model": entry.model,
        "created_at": entry.created_at,
        "is_deleted": entry.is_deleted,
    }


def read_turn(values: Any) -> TurnEntry:
    """Return the step in JSON *values*. Raises :class:`ValueError` for values of another form."""
    return replace(read_turn_alone(values), before=read_before(values))


def read_before(values: Any) -> Position:
    """Return the position in front of a step. Raises :class:`ValueError` for values of another form."""
    try:
        return read_position(values["before"])
    except (KeyError, TypeError) as error:
        raise ValueError("not a step of a conversation") from error


def read_turn_alone(values: Any) -> TurnEntry:
    """Return the step in JSON *values* without the position in front of it, which takes longest to read."""
    try:
        stored, raw = values["input_bytes"]
        parent, conversation = values["parent_id"], values["conversation_id"]
        return TurnEntry(
            Position(),
            Counted(_number(values["turns"]), values["asks"] is True),
            read_items(values["output"]),
            (_number(stored), _number(raw)),
            None if parent is None else _text(parent),
            None if conversation is None else _text(conversation),
            _text(values["model"]),
            _number(values["created_at"]),
            values["is_deleted"] is True,
        )
    except (KeyError, TypeError) as error:
        raise ValueError("not a step of a conversation") from error


def read_items(values: Any) -> list[dict[str, Any]]:
    """Return *values* if they are a list of items. Raises :class:`ValueError` otherwise."""
    if not isinstance(values, list) or not all(isinstance(item, dict) for item in values):
        raise ValueError("not a list of items")
    return values


def _read_link(line: str) -> Link:
    id_, stored, raw, turns = line.split(" ")
    return Link(id_, int(stored), int(raw), int(turns))


def _number(value: Any) -> int:
    if value.__class__ is not int or value < 0:
        raise ValueError("not a number")
    return int(value)


def _text(value: Any) -> str:
    if value.__class__ is not str:
        raise ValueError("not a text")
    return str(value)
