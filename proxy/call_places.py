"""Which tool call a piece of a stream belongs to, where the provider does not say so as OpenAI does. Pure."""

from __future__ import annotations

from typing import Any


class CallPlaces:
    """The tool calls of one choice, in the order in which they began."""

    def __init__(self) -> None:
        self._ids: list[str] = []  # of the calls whose place the provider left out
        self._begun: set[int] = set()

    def of(self, call: dict[str, Any]) -> tuple[int, bool]:
        """Return a piece's place, and whether it begins its call.

        The place is the ``index`` that the provider gave, or else one for each new id. A piece with neither belongs to
        the call before it, unless it names a function: then it is a call of its own (servers that stream whole calls).
        """
        place = call.get("index")
        if place is None:
            place = self._place_by_id(call)
        begins = place not in self._begun
        self._begun.add(place)
        return place, begins

    def _place_by_id(self, call: dict[str, Any]) -> int:
        call_id = call.get("id")
        if not call_id:
            named = bool((call.get("function") or {}).get("name"))
            call_id = self._ids[-1] if self._ids and not named else f"#{len(self._ids)}"
        if call_id not in self._ids:
            self._ids.append(call_id)
        return self._ids.index(call_id)


def made_up_id(answer_id: str, choice: int, place: int) -> str:
    """Return an id for a call that the provider gave none, which clients need to answer it.

    It differs from answer to answer, as *answer_id* does, and stays under OpenAI's limit of 40 characters.
    """
    return f"call_{answer_id[-24:]}_{choice}_{place}"
