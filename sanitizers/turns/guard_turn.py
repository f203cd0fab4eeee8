"""One request held against the limits: counted, told, and in mode ``enforce`` brought to an end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.messages import RESULT_ROLES, Messages, function_of
from sanitizers.outline import Outline
from sanitizers.record import record
from sanitizers.turns.find_loop import Loop, find_loop
from sanitizers.turns.gate_calls import STEP, CallGate
from sanitizers.turns.notices import (
    delegation_guidance,
    delegation_refused,
    last_words,
    with_notices,
    wrap_up_at_limit,
    wrap_up_of_delegation,
    wrap_up_of_loop,
)
from sanitizers.turns.place_notes import place_notes
from sanitizers.turns.policy import TurnPolicy
from sanitizers.turns.rounds import Round, last_turn_start, read_rounds
from sanitizers.turns.tool_errors import find_failures
from sanitizers.turns.turn import Turn, WrapUp


@record
class Guarded:
    """A request as the guard leaves it; *messages* and *parameters* are the given ones where nothing is done.

    *gate* is what its answer goes through, None where all of it passes.
    """

    messages: Messages
    parameters: Mapping[str, Any]
    turn: Turn
    changes: tuple[Change, ...] = ()
    gate: CallGate | None = None


class Declared(NamedTuple):
    """The tools that a request declares, and those of them that hand the task on, by their names."""

    names: Sequence[str]
    delegating: Sequence[str]


_NONE = Declared((), ())

_FINAL_TRIES = 3
"""Rounds with a final tool after which that is withheld as well: one that is refused over and over is a loop, too."""


@record
class _Counts:
    """Rounds of a turn: with calls that do work, and with calls that hand the task on."""

    rounds: int
    delegations: int


def guard_turn(
    messages: Messages,
    parameters: Mapping[str, Any],
    policy: TurnPolicy,
    asked: int | None = None,
    *,
    in_result: bool = False,
    outline: Outline | None = None,
    declared: Declared | None = None,
) -> Guarded:
    """Return the request that *messages*, as the client sent them, and *parameters* become under *policy*.

    *asked* is the client's own limit of rounds (``x-turnright-max-rounds``), at least 1; it only lowers the policy's.
    The instruction to finish is a user message at the end, or with *in_result* stands behind a result that is the end:
    for histories that nobody makes legal afterwards, since not every provider takes a user's word behind a result.
    *outline* is that of *messages*, and *declared* what *parameters* declare, where somebody has made it.
    """
    names, delegating = declared or read_declared(parameters, policy)
    if outline is not None and not outline.turns and not outline.odd and policy.only_tells:
        # Nobody has answered yet: there are no rounds, and nothing can have come of any.
        limit = policy.limit(multi_agent=bool(delegating), asked=asked)
        return Guarded(messages, parameters, Turn(policy.mode, 0, limit, 0, policy.max_delegation_rounds))
    rounds = read_rounds(messages, last_turn_start(messages), len(messages))
    counts = _count(rounds, policy)
    newest = _count(rounds[-1:], policy)
    before = _Counts(counts.rounds - newest.rounds, counts.delegations - newest.delegations)
    limit = policy.limit(multi_agent=bool(delegating or counts.delegations), asked=asked)
    loop = find_loop(rounds, len(rounds) - 1, policy.max_repeats) if policy.max_repeats and rounds else None
    over = bool(policy.max_delegation_rounds) and counts.delegations >= policy.max_delegation_rounds
    enforced = policy.mode == "enforce"
    wrap_up: WrapUp = ""
    if enforced:
        only_delegation = bool(delegating) and len(delegating) == len(names)
        wrap_up = _wrap_up(counts, limit, loop, only_delegation=over and only_delegation)
    turn = Turn(
        policy.mode,
        counts.rounds,
        limit,
        counts.delegations,
        policy.max_delegation_rounds,
        warns=_reached(counts.rounds, policy.warning_from(limit)),
        loop_period=loop.period if loop else 0,
        wrap_up=wrap_up,
        events=_events(counts, before, limit, loop, rounds, policy, wrap_up),
    )
    noted, changes = place_notes(messages, policy, multi_agent=bool(delegating), asked=asked)
    fitted = parameters
    gate = CallGate(policy.max_calls_per_turn) if enforced and policy.max_calls_per_turn else None
    if wrap_up:
        final = _final_names(parameters, rounds, policy)
        instruction = _instruction(wrap_up, limit, policy, final)
        noted = _with_instruction(noted, instruction, in_result=in_result)
        changes.append(Change(STEP, "inserted", max(0, len(messages) - 1), "wrap_up"))
        if final:
            fitted = _with_tools(parameters, policy.finishes, "tools_withheld", changes)
        else:
            fitted = _without_calls(parameters, changes)
        gate = CallGate(closed=True, words=last_words(instruction), final=policy if final else None)
    elif enforced and over and delegating:
        fitted = _with_tools(
            parameters, lambda name: not policy.delegates(name), "delegation_withheld", changes
        )
        words = delegation_refused(policy.max_delegation_rounds)
        gate = CallGate(policy.max_calls_per_turn, refused=policy, words=words)
    elif policy.tell_model and delegating and policy.max_delegation_rounds:
        fitted = _with_guidance(parameters, delegating[0], policy.max_delegation_rounds, changes)
    return Guarded(noted, fitted, turn, tuple(changes), gate)


def read_declared(parameters: Mapping[str, Any], policy: TurnPolicy) -> Declared:
    """Return what a request declares, as *policy* sees it."""
    names = declared_names(parameters)
    return Declared(names, policy.delegating(names)) if names else _NONE


def declared_names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a request declares, in both forms."""
    tools, functions = parameters.get("tools"), parameters.get("functions")
    if not tools and not functions:
        return []
    names = [function_of(tool).get("name") for tool in tools or ()]
    names += [function.get("name") for function in functions or ()]
    return [name for name in names if isinstance(name, str)]


def _count(rounds: Sequence[Round], policy: TurnPolicy) -> _Counts:
    working = delegations = 0
    for one in rounds:
        works, delegates = policy.counts_as(one.names)
        working += works
        delegations += delegates
    return _Counts(working, delegations)


def _reached(count: int, limit: int) -> bool:
    return bool(limit) and count >= limit


def _with_instruction(messages: Messages, instruction: str, *, in_result: bool) -> Messages:
    last = messages[-1]
    if in_result and (last["role"] in RESULT_ROLES or last["role"] == "user"):
        return [*messages[:-1], with_notices(last, [instruction])]
    return [*messages, {"role": "user", "content": instruction}]


def _wrap_up(counts: _Counts, limit: int, loop: Loop | None, *, only_delegation: bool) -> WrapUp:
    if _reached(counts.rounds, limit):
        return "limit"
    if loop is not None and loop.goes_on:
        return "loop"
    return "delegation" if only_delegation else ""


def _instruction(wrap_up: WrapUp, limit: int, policy: TurnPolicy, final: Sequence[str]) -> str:
    if wrap_up == "limit":
        return wrap_up_at_limit(limit, final)
    if wrap_up == "loop":
        return wrap_up_of_loop(final)
    return wrap_up_of_delegation(policy.max_delegation_rounds, final)


def _final_names(parameters: Mapping[str, Any], rounds: Sequence[Round], policy: TurnPolicy) -> list[str]:
    """Return the tools that the final answer may be given by; none where that was tried often enough in this turn.

    An agent whose answers must be tool calls would be told that it has none (pydantic-ai with an output type).
    """
    tried = sum(any(map(policy.finishes, one.names)) for one in rounds)
    return (
        [name for name in declared_names(parameters) if policy.finishes(name)] if tried < _FINAL_TRIES else []
    )


def _events(
    counts: _Counts,
    before: _Counts,
    limit: int,
    loop: Loop | None,
    rounds: Sequence[Round],
    policy: TurnPolicy,
    wrap_up: WrapUp,
) -> tuple[str, ...]:
    """Return what the newest round brought about: a threshold that was not reached before it."""
    if not rounds and not wrap_up:
        return ()
    warning_from, delegations = policy.warning_from(limit), policy.max_delegation_rounds
    events = []
    if _reached(counts.rounds, warning_from) and not _reached(before.rounds, warning_from):
        events.append("warning")
    if _reached(counts.rounds, limit) and not _reached(before.rounds, limit):
        events.append("limit")
    if _reached(counts.delegations, delegations) and not _reached(before.delegations, delegations):
        events.append("delegation_limit")
    if loop is not None and loop.is_new:
        events.append("loop")
    if policy.hint_after_errors and rounds:
        newest = {result.place for result in rounds[-1].results}
        failures = find_failures(rounds, policy.hint_after_errors)
        if any(failure.result.place in newest for failure in failures):
            events.append("tool_errors")
    if wrap_up:
        events.append("wrap_up")
    return tuple(events)


def _without_calls(parameters: Mapping[str, Any], changes: list[Change]) -> Mapping[str, Any]:
    """Forbid calls, and leave the declarations, which are part of the cached prefix.

    A history with calls must not come without them (Anthropic, Bedrock). Where a provider has no word for it, the table
    of dialects decides, and the gate holds what is called all the same.
    """
    forbidden = {
        choice: "none"
        for declarations, choice in (("tools", "tool_choice"), ("functions", "function_call"))
        if parameters.get(declarations)
    }
    if not forbidden:
        return parameters
    changes.append(Change(STEP, "replaced", 0, "tools_withheld", ",".join(forbidden)))
    return {**parameters, **forbidden}


def _with_tools(
    parameters: Mapping[str, Any], stays: Callable[[str], bool], reason: str, changes: list[Change]
) -> Mapping[str, Any]:
    """Leave out all tools but those whose name *stays*, and a choice that is not for one of these."""
    fitted = dict(parameters)
    for name, choice_name in (("tools", "tool_choice"), ("functions", "function_call")):
        entries, choice = fitted.get(name) or (), fitted.get(choice_name)
        kept = [entry for entry in entries if stays(_name_of(entry))]
        if kept:
            fitted[name] = kept
        else:
            fitted.pop(name, None)
        if (entries and not kept) or (isinstance(choice, Mapping) and not stays(_name_of(choice))):
            fitted.pop(choice_name, None)
    changes.append(Change(STEP, "dropped", 0, reason))
    return fitted


def _with_guidance(
    parameters: Mapping[str, Any], first: str, limit: int, changes: list[Change]
) -> Mapping[str, Any]:
    """Say in the description of the tool *first* how many rounds of delegation there are: always the same words."""
    guidance = delegation_guidance(limit)
    for name in ("tools", "functions"):
        entries = parameters.get(name) or ()
        for at, entry in enumerate(entries):
            if _name_of(entry) != first:
                continue
            function = entry.get("function", entry)
            described = function.get("description") or ""
            if not isinstance(described, str):
                return parameters  # the provider's to refuse
            if guidance in described:
                return parameters
            told = {**function, "description": f"{described}\n\n{guidance}" if described else guidance}
            new = {**entry, "function": told} if "function" in entry else told
            changes.append(Change(STEP, "replaced", at, "delegation_guidance", "description"))
            return {**parameters, name: [*entries[:at], new, *entries[at + 1 :]]}
    return parameters


def _name_of(entry: Mapping[str, Any]) -> str:
    function = entry.get("function", entry)
    name = function.get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""
