"""A streamed answer that is held back until it is complete, and then sent in the chunks that it came in. Pure."""

from __future__ import annotations

from typing import Any

from proxy.sse import encode_event
from proxy.upstream import Answer, Chunk

LARGEST = 8 * 2**20
"""Bytes that are held back; a longer answer is sent on as it comes, unchecked."""

_Place = tuple[int, int]
"""The index of a choice, and of a call in it."""


class AnswerBuffer:
    """The normalized chunks of one answer, with their events."""

    def __init__(self) -> None:
        self._chunks: list[tuple[Chunk, bytes]] = []
        self._size = 0
        self._calls: dict[_Place, dict[str, Any]] = {}
        self._ends: dict[int, str | None] = {}

    @property
    def is_full(self) -> bool:
        """Whether more is held back than :data:`LARGEST`."""
        return self._size > LARGEST

    def add(self, chunk: Chunk, event: bytes) -> None:
        """Hold *chunk* back, which *event* is the event of."""
        self._chunks.append((chunk, event))
        self._size += len(event)
        for choice in chunk["choices"]:
            index = choice["index"]
            self._ends[index] = choice["finish_reason"] or self._ends.get(index)
            for piece in choice["delta"].get("tool_calls") or ():
                self._add_piece((index, piece["index"]), piece)

    def _add_piece(self, place: _Place, piece: dict[str, Any]) -> None:
        call = self._calls.setdefault(
            place, {"id": "", "type": "", "function": {"name": "", "arguments": ""}}
        )
        call["id"] = call["id"] or piece.get("id", "")
        call["type"] = call["type"] or piece.get("type", "")
        function, said = call["function"], piece.get("function") or {}
        name, arguments = said.get("name"), said.get("arguments")
        if isinstance(name, str) and name != function["name"]:  # some servers say all of it with every piece
            function["name"] += name
        if isinstance(arguments, str) and isinstance(function["arguments"], str):
            function["arguments"] += arguments
        elif isinstance(arguments, dict):
            function["arguments"] = arguments

    def whole(self) -> Answer:
        """Return the answer, as far as its calls go."""
        choices = []
        for index, end in self._ends.items():
            calls = [call for (choice, _), call in self._calls.items() if choice == index]
            choices.append({"index": index, "message": {"tool_calls": calls}, "finish_reason": end})
        return {"choices": choices}

    def events(self, answer: Answer | None = None) -> bytes:
        """Return the events as they came; with *answer*, one from :meth:`whole`, with the calls that differ in it.

        The first piece of such a call then has all of it, and the others nothing.
        """
        mended = self._mended(answer) if answer is not None else {}
        if not mended:
            return b"".join(event for _, event in self._chunks)
        said: set[_Place] = set()
        return b"".join(encode_event(_with_mended(chunk, mended, said)) for chunk, _ in self._chunks)

    def _mended(self, answer: Answer) -> dict[_Place, Any]:
        mended: dict[_Place, Any] = {}
        for choice in answer["choices"]:
            places = [place for place in self._calls if place[0] == choice["index"]]
            for place, call in zip(places, choice["message"]["tool_calls"], strict=True):
                if call is not self._calls[place]:
                    mended[place] = call["function"]
        return mended


def _with_mended(chunk: Chunk, mended: dict[_Place, Any], said: set[_Place]) -> Chunk:
    """Return *chunk* with the functions of *mended*, each in the first piece of its call; these come to *said*."""
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
