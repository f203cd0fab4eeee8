"""Draws the ways in which OpenAI-compatible servers separate calls, as far as a reader can still find each call.

A call's index, or an id that only this call has, separates the call from the next one. Without index and id, a server
is understood only if each call's arguments are complete before the next call. The server must then not leave arguments
empty. A repeated id or name shows that a piece replaces the text before it. Without a repeated id or name, `{"a":` and
`{"a":1}` could be growing text or two pieces.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from tests.support.quirks.drawing import cut
from tests.support.quirks.openai.parts import ABSENT, piece

_ANSWER_ID = "chatcmpl-1"
_OWN = frozenset({"own", "own each", "odd", "long"})
_SHARED = frozenset({"name", "name each", "answer", "answer each"})
_EACH = frozenset({"own each", "name each", "answer each"})


@dataclass(frozen=True, slots=True)
class Way:
    """The way in which one stream writes its calls."""

    index: str
    ids: str
    name_each: bool
    cut: str
    head_first: bool
    null_fields: bool

    @property
    def own_ids(self) -> bool:
        """True if each call has its own id."""
        return self.ids in _OWN or self.ids == "new each"

    @property
    def told_apart(self) -> bool:
        """True if the index or the id alone separates the calls."""
        return self.index == "right" or self.own_ids

    def index_of(self, slot: int) -> Any:
        """Return the `index` of the pieces of the call number *slot*."""
        return {"right": slot, "zero": 0, "none": ABSENT, "null": None}[self.index]

    def id_of(self, slot: int, name: str, number: int) -> Any:
        """Return the id in piece *number* of the call number *slot*."""
        ids = self.ids
        if number and ids not in _EACH and ids != "new each":
            return None if self.null_fields else ABSENT
        own = {"odd": f"functions.{name}:{slot}", "long": f"call_{slot}_" + "x" * 60}
        shared = {"none": ABSENT, "null": None, "empty": ""}
        if ids in shared:
            return shared[ids]
        if ids in _SHARED:
            return name if ids.startswith("name") else _ANSWER_ID
        return f"id_{slot}_{number}" if ids == "new each" else own.get(ids, f"id_{slot}")


@dataclass(frozen=True, slots=True)
class Slot:
    """One call as the server writes it. *meant* holds the arguments of each call that the reader must find in it."""

    name: str
    meant: list[dict[str, Any]]
    arguments: Any
    """A text, an object, None or ABSENT."""
    plain: bool
    """True if the arguments are one object as text. Only such a text can grow by pieces, or be sent again."""
    pieces: list[dict[str, Any]] = field(default_factory=list)


@st.composite
def ways(draw: st.DrawFn) -> Way:
    """Draw a way of writing calls that a reader can understand."""
    index = draw(st.sampled_from(["right", "zero", "none", "null"]))
    ids = ["own", "own each", "none", "null", "empty", *sorted(_SHARED), "odd", "long"]
    ids += ["new each"] if index in ("right", "zero") else []
    way = Way(
        index,
        draw(st.sampled_from(ids)),
        draw(st.booleans()),
        draw(st.sampled_from(["whole", "pieces", "growing"])),
        draw(st.booleans()),
        draw(st.booleans()),
    )
    if way.name_each and index in ("none", "null") and way.ids not in _EACH:
        way = replace(way, name_each=False)
    if way.ids == "new each":
        way = replace(way, name_each=False)
    if way.cut == "growing" and not way.name_each:
        way = replace(way, cut="pieces")
    return way


def understood(way: Way, calls: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Return those of *calls* that a reader can separate if they are written in this *way*.

    An empty object may be a placeholder for later arguments, unless the index or the id shows another call.
    """
    names = [name for name, _ in calls]
    return [one for one in calls if way.told_apart or one[1] or names.count(one[0]) == 1]


def draw_slots(
    draw: st.DrawFn, way: Way, calls: list[tuple[str, dict[str, Any]]], cut_off: bool
) -> list[Slot]:
    """Write *calls* as a server with this *way* does, and return the slots with their pieces.

    *cut_off* means that the answer does not end with a call's finish reason.
    """
    slots: list[Slot] = []
    left = list(calls)
    while left:
        name, arguments = left.pop(0)
        together = [arguments]
        while left and _goes_with(left[0], name, arguments) and way.cut != "growing" and draw(st.booleans()):
            together.append(left.pop(0)[1])
        slots.append(_slot(draw, way, name, together, cut_off))
    for at, slot in enumerate(slots):
        slot.pieces.extend(_pieces(draw, way, at, slot))
    return slots


def _goes_with(call: tuple[str, dict[str, Any]], name: str, arguments: dict[str, Any]) -> bool:
    """Tell whether *call* can follow another call in one slot. After an empty object it could be the same call."""
    return call[0] == name and bool(call[1]) and bool(arguments)


def _slot(draw: st.DrawFn, way: Way, name: str, meant: list[dict[str, Any]], cut_off: bool) -> Slot:
    spaced = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
    texts = [json.dumps(one, ensure_ascii=draw(st.booleans()), separators=spaced) for one in meant]
    if len(texts) > 1:
        return Slot(name, meant, draw(st.sampled_from(["", " ", "\n"])).join(texts), plain=False)
    forms = ["text"] * 4
    if way.cut == "whole":
        forms += ["object"]
    if way.cut != "growing" and not cut_off:
        forms += ["twice"]
    if meant == [{}] and way.told_apart and not cut_off:
        forms += ["blank"] * 4
    form = draw(st.sampled_from(forms))
    if form == "blank":
        return Slot(name, meant, draw(st.sampled_from(["", " ", None, ABSENT])), plain=False)
    if form == "twice":
        return Slot(name, meant, json.dumps(texts[0], ensure_ascii=draw(st.booleans())), plain=False)
    return Slot(name, meant, meant[0] if form == "object" else texts[0], plain=form == "text")


def _pieces(draw: st.DrawFn, way: Way, at: int, slot: Slot) -> list[dict[str, Any]]:
    text = slot.arguments
    if not isinstance(text, str) or way.cut == "whole":
        return [_piece(way, at, slot, 0, text)]
    parts = cut(draw, text) or [text]
    if way.cut == "growing" and slot.plain:
        parts = ["".join(parts[: end + 1]) for end in range(len(parts))]
    if way.head_first:
        parts.insert(0, "")
    return [_piece(way, at, slot, number, part) for number, part in enumerate(parts)]


def _piece(way: Way, at: int, slot: Slot, number: int, arguments: Any) -> dict[str, Any]:
    name = slot.name if number == 0 or way.name_each else None if way.null_fields else ABSENT
    found: dict[str, Any] = piece(way.index_of(at), way.id_of(at, slot.name, number), name, arguments)
    return found


def sent_again(way: Way, at: int, slot: Slot) -> dict[str, Any] | None:
    """Return the piece that repeats a whole call directly after the call, or None if it would read as a new call."""
    if (
        not slot.plain
        or way.ids == "new each"
        or not (way.told_apart or way.index == "zero" or way.ids in _SHARED)
    ):
        return None
    return _piece(way, at, slot, 0, slot.arguments)
