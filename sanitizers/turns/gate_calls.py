"""Decide which calls of an answer reach the client.

At the limit of rounds no call passes, except a final tool's. At the limit of delegation, no delegating call passes.
Otherwise as many calls pass as ``max_calls_per_turn`` allows. Where all calls of an answer are held back, the client
still gets a complete answer, with a text and a finish reason. A call is held back completely or not at all. The passing
calls are numbered without gaps.
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
    """The rule for the calls of each choice: *most* may pass (0 is any number), and none if the gate is *closed*.

    *refused* is the policy whose delegating calls are held back, or None. *final* is the policy whose final tools may
    still be called where the gate is closed, or None. *words* is the text that the client gets where nothing else is
    left of a choice.
    """

    most: int = 0
    closed: bool = False
    refused: TurnPolicy | None = None
    words: str = ""
    final: TurnPolicy | None = None

    def reason_against(self, name: str, passed: int) -> str | None:
        """Return why a call of the tool *name* is held back after *passed* others, or None where it passes."""
        if self.closed:
            return None if self.final is not None and self.final.finishes(name) else "call_withheld"
        if self.refused is not None and self.refused.delegates(name):
            return "call_withheld"
        return "calls_per_turn" if self.most and passed >= self.most else None


@dataclass(slots=True)
class _ChoiceGate:
    """The gate of the choice *index*. It counts the calls that pass, and adds a change for each call held back."""

    index: int
    gate: CallGate
    changes: list[Change]
    calls: int = 0
    held: int = 0
    places: dict[int, int | None] = field(default_factory=dict)
    """The new index of each call by its old index, or None for a call that is held back."""

    said: bool = False
    """True where the choice has text."""

    legacy: str | None = None
    """The decision about a legacy call: empty if the call passes, ``held`` if not, and None before the decision."""

    def passes(self, name: str, call_id: str) -> bool:
        """Tell whether a call of the tool *name* passes, and count it."""
        reason = self.gate.reason_against(name, self.calls)
        if reason is None:
            self.calls += 1
            return True
        self.held += 1
        self.changes.append(Change(STEP, "dropped", self.index, reason, call_id[:64]))
        return False


def gate_answer(answer: dict[str, Any], gate: CallGate) -> tuple[dict[str, Any], tuple[Change, ...]]:
    """Return the complete *answer* with only the calls that pass, or *answer* itself where nothing changes."""
    changes: list[Change] = []
    choices = [_gate_choice(choice, gate, changes) for choice in answer["choices"]]
    if all(new is old for new, old in zip(choices, answer["choices"], strict=True)):
        return answer, ()
    return {**answer, "choices": choices}, tuple(changes)


def _gate_choice(choice: _Choice, gate: CallGate, changes: list[Change]) -> _Choice:
    message = choice["message"]
    passed = _ChoiceGate(choice["index"], gate, changes)
    calls = [
        call
        for call in message.get("tool_calls") or ()
        if passed.passes(_name_in(call), str(call.get("id") or ""))
    ]
    legacy = message.get("function_call")
    if legacy and not passed.passes(legacy.get("name") or "", ""):
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
    """Return a message with the passing calls alone."""
    kept = {name: value for name, value in message.items() if name not in ("tool_calls", "function_call")}
    if calls:
        kept["tool_calls"] = calls
    if legacy:
        kept["function_call"] = legacy
    return kept


class ChunkGate:
    """The gate of one streamed answer, which passes its chunks one by one."""

    def __init__(self, gate: CallGate) -> None:
        self._gate = gate
        self._choices: dict[int, _ChoiceGate] = {}
        self.changes: list[Change] = []
        """A change for each call that was held back, and for each text that replaced calls."""

    def pass_chunk(self, chunk: dict[str, Any]) -> dict[str, Any] | None:
        """Return *chunk* with the calls that pass, or None where nothing is left of it."""
        if not chunk["choices"]:
            return chunk
        choices = [passed for choice in chunk["choices"] if (passed := self._pass_choice(choice)) is not None]
        return {**chunk, "choices": choices} if choices else None

    def _pass_choice(self, choice: _Choice) -> _Choice | None:
        passed = self._choices.get(choice["index"])
        if passed is None:
            passed = _ChoiceGate(choice["index"], self._gate, self.changes)
            self._choices[choice["index"]] = passed
        delta = choice["delta"]
        passed.said = passed.said or _says(delta.get("content")) or _says(delta.get("refusal"))
        kept = delta
        if "tool_calls" in delta or "function_call" in delta:
            kept = {name: v for name, v in delta.items() if name not in ("tool_calls", "function_call")}
            pieces = _pass_pieces(delta.get("tool_calls") or (), passed)
            if pieces:
                kept["tool_calls"] = pieces
            if "function_call" in delta and _pass_legacy(delta["function_call"], passed):
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


def _pass_pieces(pieces: Any, passed: _ChoiceGate) -> list[dict[str, Any]]:
    through = []
    for piece in pieces:
        place = piece["index"]
        if place not in passed.places:
            before = passed.calls
            passes = passed.passes(_name_in(piece), str(piece.get("id") or ""))
            passed.places[place] = before if passes else None
        new = passed.places[place]
        if new is not None:
            through.append(piece if new == place else {**piece, "index": new})
    return through


def _pass_legacy(piece: Mapping[str, Any] | None, passed: _ChoiceGate) -> bool:
    if passed.legacy is None:
        name = (piece or {}).get("name") or ""
        passed.legacy = "" if passed.passes(name, "") else "held"
    return not passed.legacy


def _name_in(call: Mapping[str, Any]) -> str:
    function = call.get("function") or call.get("custom") or {}
    return function.get("name") or ""


def _says(text: Any) -> bool:
    return isinstance(text, str) and bool(text.strip())
