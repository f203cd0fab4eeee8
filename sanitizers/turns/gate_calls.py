"""Which calls of an answer reach the client: at a limit none, or none that hands the task on; else not too many.

What the client gets in the end is an answer like any other: a text and a finish reason. A call that is held back is
never half there, and those that stay have places without gaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sanitizers.changes import Change
from sanitizers.turns.policy import TurnPolicy

STEP = "turns"

_Choice = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CallGate:
    """What is let through: *most* calls of a choice (0: any number), and none at all where *closed*.

    *refused* has the policy whose delegations are held back, *final* the one whose final tools pass though it is
    closed; None where that is not so. *words* are what the client gets where nothing else is left of a choice.
    """

    most: int = 0
    closed: bool = False
    refused: TurnPolicy | None = None
    words: str = ""
    final: TurnPolicy | None = None

    def reason_against(self, name: str, passed: int) -> str | None:
        """Return why a call of the tool *name* is held back, behind *passed* others; None where it passes."""
        if self.closed:
            return None if self.final is not None and self.final.finishes(name) else "call_withheld"
        if self.refused is not None and self.refused.delegates(name):
            return "call_withheld"
        return "calls_per_turn" if self.most and passed >= self.most else None


@dataclass(slots=True)
class _Passed:
    """What of one choice has passed so far."""

    calls: int = 0
    held: int = 0
    places: dict[int, int | None] = field(default_factory=dict)
    """The new place of a call by its old one; None for one that is held back."""

    said: bool = False
    """Whether it says anything in text."""

    legacy: str | None = None
    """Whether a call of the form before tool calls passes: empty, or why not; None before there is one."""


def gate_answer(answer: dict[str, Any], gate: CallGate) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return *answer*, a whole one in shape, with the calls that pass; itself where all do."""
    changes: list[Change] = []
    choices = [_gate_choice(choice, gate, changes) for choice in answer["choices"]]
    if all(new is old for new, old in zip(choices, answer["choices"], strict=True)):
        return answer, ()
    return {**answer, "choices": choices}, tuple(changes)


def _gate_choice(choice: _Choice, gate: CallGate, changes: list[Change]) -> _Choice:
    message = choice["message"]
    passed = _Passed()
    calls = [
        call
        for call in message.get("tool_calls") or ()
        if _passes(_name_in(call), str(call.get("id") or ""), choice["index"], passed, gate, changes)
    ]
    legacy = message.get("function_call")
    if legacy and not _passes(legacy.get("name") or "", "", choice["index"], passed, gate, changes):
        legacy = None
    if passed.calls or not (passed.held or gate.closed):
        return choice if not passed.held else {**choice, "message": _kept(message, calls, legacy)}
    if not passed.held and (_says(message.get("content")) or _says(message.get("refusal"))):
        return choice
    kept = _kept(message, calls, legacy)
    if not (_says(kept.get("content")) or _says(kept.get("refusal"))):
        kept["content"] = gate.words
        changes.append(Change(STEP, "inserted", choice["index"], "last_words"))
    return {**choice, "message": kept, "finish_reason": "stop"}


def _kept(message: Mapping[str, Any], calls: list[dict[str, Any]], legacy: Any) -> dict[str, Any]:
    """Return a message with the calls that pass alone."""
    kept = {name: value for name, value in message.items() if name not in ("tool_calls", "function_call")}
    if calls:
        kept["tool_calls"] = calls
    if legacy:
        kept["function_call"] = legacy
    return kept


class ChunkGate:
    """The gate of one stream: its chunks, in shape, go through it one by one."""

    def __init__(self, gate: CallGate) -> None:
        self._gate = gate
        self._choices: dict[int, _Passed] = {}
        self.changes: list[Change] = []
        """What was held back so far, and said in its place."""

    def pass_chunk(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        """Return *chunk* with what passes of it; None where that is nothing."""
        if not chunk["choices"]:
            return chunk
        choices = [passed for choice in chunk["choices"] if (passed := self._pass_choice(choice)) is not None]
        return {**chunk, "choices": choices} if choices else None

    def _pass_choice(self, choice: _Choice) -> _Choice | None:
        passed = self._choices.setdefault(choice["index"], _Passed())
        delta = choice["delta"]
        passed.said = passed.said or _says(delta.get("content")) or _says(delta.get("refusal"))
        kept = delta
        if "tool_calls" in delta or "function_call" in delta:
            kept = {name: v for name, v in delta.items() if name not in ("tool_calls", "function_call")}
            pieces = self._pass_pieces(delta.get("tool_calls") or (), choice["index"], passed)
            if pieces:
                kept["tool_calls"] = pieces
            if "function_call" in delta and self._pass_legacy(
                delta["function_call"], choice["index"], passed
            ):
                kept["function_call"] = delta["function_call"]
        reason = choice["finish_reason"]
        if (
            reason is not None
            and not passed.calls
            and (passed.held or (self._gate.closed and not passed.said))
        ):
            reason = "stop"
            if not passed.said:
                kept = {**kept, "content": self._gate.words}
                self.changes.append(Change(STEP, "inserted", choice["index"], "last_words"))
        if not kept and reason is None and "logprobs" not in choice:
            return None
        return {**choice, "delta": kept, "finish_reason": reason}

    def _pass_pieces(self, pieces: Any, index: int, passed: _Passed) -> list[dict[str, Any]]:
        through = []
        for piece in pieces:
            place = piece["index"]
            if place not in passed.places:
                before = passed.calls
                call_id = str(piece.get("id") or "")
                passes = _passes(_name_in(piece), call_id, index, passed, self._gate, self.changes)
                passed.places[place] = before if passes else None
            new = passed.places[place]
            if new is not None:
                through.append(piece if new == place else {**piece, "index": new})
        return through

    def _pass_legacy(self, piece: Mapping[str, Any] | None, index: int, passed: _Passed) -> bool:
        if passed.legacy is None:
            name = (piece or {}).get("name") or ""
            passed.legacy = "" if _passes(name, "", index, passed, self._gate, self.changes) else "held"
        return not passed.legacy


def _passes(
    name: str, call_id: str, index: int, passed: _Passed, gate: CallGate, changes: list[Change]
) -> bool:
    """Tell whether a call of the choice *index* passes, and count it; one that does not is added to *changes*."""
    reason = gate.reason_against(name, passed.calls)
    if reason is None:
        passed.calls += 1
        return True
    passed.held += 1
    changes.append(Change(STEP, "dropped", index, reason, call_id[:64]))
    return False


def _name_in(call: Mapping[str, Any]) -> str:
    function = call.get("function") or call.get("custom") or {}
    return function.get("name") or ""


def _says(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip())
