"""Which tool call a piece of an answer belongs to, where the provider does not say so as OpenAI does. Pure.

OpenAI gives each call an ``index`` and says its id and name once. Other servers leave the index out, send 0 for every
parallel call, say the id again with each piece, share one id among calls, or send a whole call twice; taken at their
word, two calls become one whose arguments are no JSON (hermes-agent#102787, omnigent#28, ``[A, B, B]`` in
hermes-agent#111686). What tells them apart is the id, and that nothing can follow arguments that are whole.
"""

from __future__ import annotations

from typing import Any

import orjson


class _Call:
    """One call, as far as it has come; *id* is the provider's own, if it gave any."""

    __slots__ = ("id", "name", "place", "texts")

    def __init__(self, place: int, call_id: str | None) -> None:
        self.place = place
        self.id = call_id
        self.name: str | None = None
        self.texts: list[str] = []

    def take(self, name: Any, arguments: Any) -> None:
        if name:
            self.name = (self.name or "") + name
        if arguments:
            self.texts.append(arguments)


class CallPlaces:
    """The tool calls of one choice, in the order in which they began, which is their place."""

    def __init__(self, fallback_id: str, choice: int) -> None:
        self._fallback_id = fallback_id
        self._choice = choice
        self._count = 0
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int, _Call] = {}  # the newest call of each index of the provider's
        self._last: _Call | None = None

    def read(self, piece: dict[str, Any]) -> dict[str, Any] | None:
        """Return *piece* with its place as ``index``, or None where it only says again what was said.

        The piece that begins a call has an id and a type, the later ones have neither, nor the name again: clients
        join what they get, OpenAI's own among them.
        """
        call_id, index = piece.get("id") or None, piece.get("index")
        function = piece.get("function") or {}
        name, arguments = function.get("name"), function.get("arguments")
        call = self._find(call_id, index, name)
        if call is not None and (name or call_id):
            new_name = name and call.name not in (None, name)
            if (whole := _whole(call.texts)) is not None:
                if not new_name and (not arguments or arguments.isspace() or arguments == whole):
                    return None
                call = None if name else call
            elif new_name and (call.texts or (index is not None and index not in self._by_index)):
                call = None
        if call is None:
            return self._begin(call_id, index, name, arguments)
        self._last = call
        if name == call.name:
            name = None
        call.take(name, arguments)
        said = _function(name, arguments)
        return {"index": call.place, "function": said} if said else None

    def _find(self, call_id: str | None, index: int | None, name: Any) -> _Call | None:
        """Return the call that a piece seems to go on with; None where it begins one.

        A new id begins a call, but for one in a piece without a name on a call that has one: that id came late, or
        is made up for each piece. A piece with neither id nor index goes on with the call before it, unless it names a
        function (servers that stream whole calls).
        """
        if call_id is not None and call_id in self._by_id:
            return self._by_id[call_id]
        if index is not None:
            found = self._by_index.get(index)
            if found is None or call_id is None:
                return found
            return None if name or not found.name or _whole(found.texts) is not None else found
        return None if call_id is not None or name else self._last

    def _begin(self, call_id: str | None, index: int | None, name: Any, arguments: Any) -> dict[str, Any]:
        """Begin a call; one that has no id, or another's, gets one of ours."""
        if call_id in self._by_id:
            call_id = None
        call = self._last = _Call(self._count, call_id)
        self._count += 1
        if call_id is not None:
            self._by_id[call_id] = call
        if index is not None:
            self._by_index[index] = call
        call.take(name, arguments)
        function = _function(name, arguments)
        return {
            "index": call.place,
            "id": call_id or made_up_id(self._fallback_id, self._choice, call.place),
            "type": "function",
            **({"function": function} if function else {}),
        }


def _function(name: Any, arguments: Any) -> dict[str, Any]:
    return {key: text for key, text in (("name", name), ("arguments", arguments)) if text is not None}


def _whole(texts: list[str]) -> str | None:
    """Return arguments that are a whole object, which nothing can follow; None while they are none."""
    if not texts or not texts[-1].rstrip().endswith("}"):
        return None
    text = "".join(texts)
    try:
        return text if isinstance(orjson.loads(text), dict) else None
    except orjson.JSONDecodeError:
        return None


def made_up_id(answer_id: str, choice: int, place: int) -> str:
    """Return an id for a call that the provider gave none, which clients need to answer it.

    It differs from answer to answer, as *answer_id* does, and stays under OpenAI's limit of 40 characters.
    """
    return f"call_{answer_id[-24:]}_{choice}_{place}"
