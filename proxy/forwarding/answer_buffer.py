"""Holds back a streamed answer until it is complete, and then returns its chunks as they came.

The buffer keeps the chunks as JSON, and the pieces of tool calls separately. Parsed chunks would take eight times the
memory. Parsed chunks are needed again only if a tool call was repaired (mended). The chunks are written as events in
the client's format only when they are sent.
"""

from __future__ import annotations

from typing import Any

import orjson

from proxy.core.json_text import write_json
from proxy.core.source import AnswerSource
from proxy.core.upstream_call import Answer, Chunk
from proxy.forwarding.write_events import Held, HeldEvent, hold_event

LARGEST = 8 * 2**20
"""The largest number of bytes that are held back. A longer answer is sent on unchecked as it comes."""

_CallIndex = tuple[int, int]
"""The index of a choice, and the index of a call in it."""


class _Pieces:
    """The pieces of one tool call, put together."""

    __slots__ = ("arguments", "id", "name", "type")

    def __init__(self) -> None:
        self.id = ""
        self.type = ""
        self.name = ""
        self.arguments: list[str] | dict[str, Any] = []

    def add(self, piece: dict[str, Any]) -> None:
        """Add the next *piece* of the call."""
        self.id = self.id or piece.get("id", "")
        self.type = self.type or piece.get("type", "")
        said = piece.get("function") or {}
        name, arguments = said.get("name"), said.get("arguments")
        if isinstance(name, str) and name != self.name:  # some servers repeat the whole name with every piece
            self.name += name
        if isinstance(arguments, str) and isinstance(self.arguments, list):
            self.arguments.append(arguments)
        elif isinstance(arguments, dict):
            self.arguments = arguments

    def call(self) -> dict[str, Any]:
        """Return the call, put together from its pieces."""
        arguments = "".join(self.arguments) if isinstance(self.arguments, list) else self.arguments
        function = {"name": self.name, "arguments": arguments}
        return {"id": self.id, "type": self.type, "function": function}


class AnswerBuffer:
    """The normalized chunks of one answer as JSON, and the tool calls in them."""

    def __init__(self) -> None:
        self._chunks: list[Held] = []
        self._with_calls: set[int] = set()  # positions of the chunks that hold pieces of calls
        self._size = 0
        self._pieces: dict[_CallIndex, _Pieces] = {}
        self._calls: dict[_CallIndex, dict[str, Any]] = {}  # the calls that `whole` returned
        self._ends: dict[int, str | None] = {}

    @property
    def is_full(self) -> bool:
        """True where the buffer holds more than :data:`LARGEST` bytes."""
        return self._size > LARGEST

    def add(self, chunk: Chunk, written: bytes, native: AnswerSource | None = None) -> None:
        """Hold *chunk* back, whose JSON is *written*.

        *native*, if given, is the provider's event that is sent in place of the chunk.
        """
        held = hold_event(written, native)
        self._size += len(written) + (len(held.event) if isinstance(held, HeldEvent) else 0)
        for choice in chunk["choices"]:
            index = choice["index"]
            self._ends[index] = choice["finish_reason"] or self._ends.get(index)
            for piece in choice["delta"].get("tool_calls") or ():
                self._with_calls.add(len(self._chunks))
                self._pieces.setdefault((index, piece["index"]), _Pieces()).add(piece)
        self._chunks.append(held)

    def whole(self) -> Answer:
        """Return the buffered answer in the form of an unstreamed answer. Its messages hold only the tool calls."""
        self._calls = {place: pieces.call() for place, pieces in self._pieces.items()}
        choices = []
        for index, end in self._ends.items():
            calls = [call for (choice, _), call in self._calls.items() if choice == index]
            choices.append({"index": index, "message": {"tool_calls": calls}, "finish_reason": end})
        return {"choices": choices}

    def chunks(self, answer: Answer | None = None) -> list[Held]:
        """Return the chunks as they came. Mended calls are taken from *answer*, a changed result of :meth:`whole`.

        The first piece of a mended call then holds the whole call, and its other pieces are left out. A native event
        with a piece of such a call is replaced by its canonical chunk.
        """
        mended = self._mended(answer) if answer is not None else {}
        if not mended:
            return self._chunks
        said: set[_CallIndex] = set()
        return [
            _mend_held(held, mended, said) if at in self._with_calls else held
            for at, held in enumerate(self._chunks)
        ]

    def _mended(self, answer: Answer) -> dict[_CallIndex, Any]:
        mended: dict[_CallIndex, Any] = {}
        for choice in answer["choices"]:
            places = [place for place in self._calls if place[0] == choice["index"]]
            for place, call in zip(places, choice["message"]["tool_calls"], strict=True):
                if call is not self._calls[place]:
                    mended[place] = call["function"]
        return mended


def _mend_held(held: Held, mended: dict[_CallIndex, Any], said: set[_CallIndex]) -> Held:
    """Return *held*, in which each call of *mended* has its mended function.

    A native event is returned unchanged where it holds no piece of a mended call.
    """
    if not isinstance(held, HeldEvent):
        return write_json(_with_mended(orjson.loads(held), mended, said))
    chunk = orjson.loads(held.chunk)
    places = {
        (choice["index"], piece["index"])
        for choice in chunk["choices"]
        for piece in choice["delta"].get("tool_calls") or ()
    }
    return write_json(_with_mended(chunk, mended, said)) if places & mended.keys() else held


def _with_mended(chunk: Chunk, mended: dict[_CallIndex, Any], said: set[_CallIndex]) -> Chunk:
    """Return *chunk* with the functions of *mended*, each in the first piece of its call.

    *said* collects the indexes of the calls that were written.
    """
    choices = []
    for choice in chunk["choices"]:
        delta = dict(choice["delta"])
        pieces = []
        for piece in delta.pop("tool_calls", None) or ():
            place = (choice["index"], piece["index"])
            if place not in mended:
                pieces.append(piece)
            elif place not in said:
                said.add(place)
                pieces.append({**piece, "function": mended[place]})
        if pieces:
            delta["tool_calls"] = pieces
        choices.append({**choice, "delta": delta})
    return {**chunk, "choices": choices}
