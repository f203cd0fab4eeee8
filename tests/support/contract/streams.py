"""Judges a stream by the contract, from the bytes that the client received."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from tests.support.contract.calls import judge_beside_calls, judge_end, judge_ids, signature_of
from tests.support.contract.events import read_events
from tests.support.contract.head import judge_head, judge_same
from tests.support.contract.said import Call, Choice, Judged, Said
from tests.support.contract.sdk import judge_accumulated, validated
from tests.support.contract.usage import judge_usage

_TEXTS = (("content", "text"), ("reasoning_content", "reasoning"), ("refusal", "refusal"))


def judge_stream(
    raw: bytes,
    *,
    usage_asked: bool = False,
    taken: Set[str] = frozenset(),
    fresh_ids: bool = False,
    broken_arguments: bool = False,
) -> Judged:
    """Return the violations of a stream, and the answer as a client reads it.

    *taken* are the ids of the calls in the request's history. *fresh_ids* requires that the proxy made every id, as for
    Gemini models. *broken_arguments* allows arguments that are no JSON object, for a model that itself wrote such
    arguments.
    """
    notes: list[str] = []
    chunks, error = read_events(raw, notes)
    judge = _StreamJudge(usage_asked, notes)
    sound = True
    for at, chunk in enumerate(chunks):
        before = len(notes)
        sound = validated(chunk, notes, whole=False) and sound
        judge_head(chunk, "chat.completion.chunk", notes)
        if sound:
            judge.take(chunk)
        notes[before:] = [f"chunk {at}: {note}" for note in notes[before:]]
    said = judge.said
    said.error = error
    judge_same(chunks, notes)
    if not sound:
        return Judged(notes, said)
    if not said.choices and error is None:
        notes.append("stream: holds no choice and no error")
    judge_ids(said, taken, fresh_ids, notes)
    for index, choice in said.choices.items():
        if error is None:
            judge_end(index, choice, broken_arguments, notes)
    in_order = list(said.choices) == list(range(len(said.choices)))
    if chunks and in_order:  # the SDK's accumulator cannot read choices that begin in another order
        judge_accumulated(chunks, said, notes)
    return Judged(notes, said)


class _StreamJudge:
    """Judges one chunk after another, each of which already fits the SDK's type."""

    def __init__(self, usage_asked: bool, notes: list[str]) -> None:
        self.said = Said()
        self._usage_asked = usage_asked
        self._notes = notes

    def take(self, chunk: dict[str, Any]) -> None:
        if self.said.usage is not None:
            self._notes.append("usage: is not in the last chunk")
        for choice in chunk["choices"]:
            self._take_choice(choice)
        if "usage" in chunk:
            self._take_usage(chunk)
        elif not chunk["choices"]:
            self._notes.append("choices: are none")

    def _take_usage(self, chunk: dict[str, Any]) -> None:
        if not self._usage_asked:
            self._notes.append("usage: was not asked for")
        if chunk["choices"]:
            self._notes.append("usage: stands beside choices")
        if any(choice.finish is None for choice in self.said.choices.values()):
            self._notes.append("usage: comes before a finish reason")
        judge_usage(chunk["usage"], self._notes)
        self.said.usage = chunk["usage"]

    def _take_choice(self, given: dict[str, Any]) -> None:
        index, delta = given["index"], given["delta"]
        begins = index not in self.said.choices
        choice = self.said.choices.setdefault(index, Choice())
        notes, where = self._notes, f"choice {index}"
        if "finish_reason" not in given:
            notes.append(f"{where}: finish_reason is left out")
        if choice.finish is not None:
            notes.append(f"{where}: goes on behind its finish reason")
        if begins and delta.get("role") != "assistant":
            notes.append(f"{where}: begins with role {delta.get('role')!r}")
        if not begins and "role" in delta:
            notes.append(f"{where}: says its role again")
        for name, field in _TEXTS:
            setattr(choice, field, getattr(choice, field) + (delta.get(name) or ""))
        judge_beside_calls(delta, where, notes)
        pieces = delta.get("tool_calls") or ()
        if len({piece["index"] for piece in pieces}) < len(
            pieces
        ):  # the SDK takes each for a call of its own
            notes.append(f"{where}: one delta holds two pieces of one call")
        for piece in pieces:
            self._take_piece(choice, piece, where)
        choice.legacy_call = choice.legacy_call or bool(delta.get("function_call"))
        signature = signature_of(delta, where, notes)
        if signature and choice.signature:
            notes.append(f"{where}: has two signatures, which clients join")
        choice.signature = signature or choice.signature
        choice.finish = given.get("finish_reason") or choice.finish

    def _take_piece(self, choice: Choice, piece: dict[str, Any], where: str) -> None:
        notes, index = self._notes, piece["index"]
        function = piece.get("function")
        begins = index == len(choice.calls)
        if begins:
            choice.calls.append(Call())
        elif not 0 <= index < len(choice.calls):
            notes.append(f"{where}: a call has index {index} and is number {len(choice.calls)}")
            return
        call, where = choice.calls[index], f"{where}, call {index}"
        call.pieces += 1
        if not isinstance(function, dict) or not isinstance(function.get("arguments"), str):
            notes.append(f"{where}, piece {call.pieces}: arguments are no text: {piece}")
        function = function or {}
        if begins:
            if not piece.get("id") or piece.get("type") != "function" or not function.get("name"):
                notes.append(f"{where}: begins without id, type or name: {piece}")
        elif {"id", "type"} & piece.keys() or "name" in function:
            notes.append(f"{where}: says its id, type or name again: {piece}")
        call.id += piece.get("id") or ""
        call.name += function.get("name") or ""
        call.arguments += function.get("arguments") or ""
        signature = signature_of(piece, where, notes)
        if signature and call.signature:
            notes.append(f"{where}: has two signatures, which clients join")
        call.signature = signature or call.signature
