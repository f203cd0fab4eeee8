"""Compare one request's rounds with the limits, and in mode ``enforce`` make the model finish at a limit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sanitizers.changes import Change
from sanitizers.messages import RESULT_ROLES, Messages, function_of
from sanitizers.outline import Outline
from sanitizers.record import record
from sanitizers.turns.find_loop import Loop, find_loop
from sanitizers.turns.gate_calls import STEP, CallGate
from sanitizers.turns.notices import (
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
from sanitizers.turns.withhold_tools import add_guidance, withhold_delegation, withhold_tools


@record
class Guarded:
    """A request as the guard leaves it. Unchanged *messages* and *parameters* are the given objects.

    *gate* filters the calls of the answer, or is None where all calls pass.
    """

    messages: Messages
    parameters: Mapping[str, Any]
    turn: Turn
    changes: tuple[Change, ...] = ()
    gate: CallGate | None = None


class Declared(NamedTuple):
    """The names of all tools that a request declares, and the names of the delegating tools among them."""

    names: Sequence[str]
    delegating: Sequence[str]


_NONE = Declared((), ())

_FINAL_TRIES = 3
"""The number of rounds with a final tool in one turn after which final tools are withheld too.

A final answer that the client refuses every time is a loop.
"""


class _Counts(NamedTuple):
    """Rounds of a turn: those whose calls do work, and those whose calls delegate."""

    rounds: int
    delegations: int


_NO_ROUNDS = _Counts(0, 0)


class _Standing(NamedTuple):
    """The state of the newest turn: its rounds, their *counts*, and the counts *before* the newest round.

    *limit* is the limit of rounds. *warning_from* is the number of rounds from which a warning is given. In *limit* and
    *warning_from*, 0 means none.
    """

    rounds: Sequence[Round]
    counts: _Counts
    before: _Counts
    limit: int
    warning_from: int
    loop: Loop | None


def guard_without_rounds(
    outline: Outline, parameters: Mapping[str, Any], policy: TurnPolicy, declared: Declared | None = None
) -> Guarded | None:
    """Return the result of :func:`guard_turn` for a history without rounds, or None where that has to be called.

    This fast path reads the *outline* alone. It is for histories without assistant messages, under a policy that
    changes nothing.
    """
    if outline.turns or outline.odd or not policy.changes_nothing:
        return None
    _, delegating = declared or read_declared(parameters, policy)
    limit = policy.limit(multi_agent=bool(delegating))
    turn = Turn(policy.mode, 0, limit, 0, policy.max_delegation_rounds)
    return Guarded(outline.messages, parameters, turn)


def guard_turn(
    messages: Messages,
    parameters: Mapping[str, Any],
    policy: TurnPolicy,
    declared: Declared | None = None,
    *,
    in_result: bool = False,
) -> Guarded:
    """Return the request of *messages* and *parameters* as *policy* changes it, with the state of its turn.

    *declared* are the declared tools, where the caller knows them. The instruction to finish is a user message at the
    end. With *in_result* the instruction is added to the last result or user message instead. A caller sets *in_result*
    where no step repairs the history afterwards, since some providers refuse a user message after a result.
    """
    names, delegating = declared or read_declared(parameters, policy)
    standing = _read_standing(messages, policy, delegating)
    counts = standing.counts
    over = 0 < policy.max_delegation_rounds <= counts.delegations
    enforced = policy.mode == "enforce"
    wrap_up: WrapUp = ""
    if enforced:
        only_delegation = bool(delegating) and len(delegating) == len(names)
        wrap_up = _wrap_up(standing, only_delegation=over and only_delegation)
    turn = Turn(
        policy.mode,
        counts.rounds,
        standing.limit,
        counts.delegations,
        policy.max_delegation_rounds,
        warns=0 < standing.warning_from <= counts.rounds,
        loop_period=standing.loop.period if standing.loop else 0,
        wrap_up=wrap_up,
        events=_events(standing, policy, wrap_up),
    )
    noted, changes = place_notes(messages, policy, multi_agent=bool(delegating))
    fitted = parameters
    gate = CallGate(policy.max_calls_per_turn) if enforced and policy.max_calls_per_turn else None
    if wrap_up:
        final = _final_names(parameters, standing.rounds, policy)
        instruction = _instruction(wrap_up, standing.limit, policy, final)
        noted = _with_instruction(noted, instruction, in_result=in_result)
        changes.append(Change(STEP, "inserted", max(0, len(messages) - 1), "wrap_up"))
        fitted = withhold_tools(parameters, policy, changes, may_finish=bool(final))
        gate = CallGate(closed=True, words=last_words(instruction), final=policy if final else None)
    elif enforced and over and delegating:
        fitted = withhold_delegation(parameters, policy, changes)
        words = delegation_refused(policy.max_delegation_rounds)
        gate = CallGate(policy.max_calls_per_turn, refused=policy, words=words)
    elif policy.tell_model and delegating and policy.max_delegation_rounds:
        fitted = add_guidance(parameters, delegating[0], policy.max_delegation_rounds, changes)
    return Guarded(noted, fitted, turn, tuple(changes), gate)


def _read_standing(messages: Messages, policy: TurnPolicy, delegating: Sequence[str]) -> _Standing:
    """Return the state of the newest turn of *messages*. *delegating* are the declared tools that delegate."""
    rounds = read_rounds(messages, last_turn_start(messages), len(messages))
    counts = before = _NO_ROUNDS
    loop = None
    if rounds:
        counts, newest = _count(rounds, policy), _count(rounds[-1:], policy)
        before = _Counts(counts.rounds - newest.rounds, counts.delegations - newest.delegations)
        loop = find_loop(rounds, len(rounds) - 1, policy.max_repeats) if policy.max_repeats else None
    limit = policy.limit(multi_agent=bool(delegating or counts.delegations))
    return _Standing(rounds, counts, before, limit, policy.warning_from(limit), loop)


def read_declared(parameters: Mapping[str, Any], policy: TurnPolicy) -> Declared:
    """Return the names of the declared tools, and of the declared tools that delegate under *policy*."""
    names = declared_names(parameters)
    return Declared(names, policy.delegating(names)) if names else _NONE


def declared_names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a request declares in ``tools`` and in the legacy ``functions``."""
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


def _newly_reached(limit: int, count: int, before: int) -> bool:
    """Tell whether *count* reaches *limit*, which the earlier count *before* did not. A *limit* of 0 is no limit."""
    return before < limit <= count


def _with_instruction(messages: Messages, instruction: str, *, in_result: bool) -> Messages:
    last = messages[-1]
    if in_result and (last["role"] in RESULT_ROLES or last["role"] == "user"):
        return [*messages[:-1], with_notices(last, [instruction])]
    return [*messages, {"role": "user", "content": instruction}]


def _wrap_up(standing: _Standing, *, only_delegation: bool) -> WrapUp:
    if 0 < standing.limit <= standing.counts.rounds:
        return "limit"
    if standing.loop is not None and standing.loop.goes_on:
        return "loop"
    return "delegation" if only_delegation else ""


def _instruction(wrap_up: WrapUp, limit: int, policy: TurnPolicy, final: Sequence[str]) -> str:
    if wrap_up == "limit":
        return wrap_up_at_limit(limit, final)
    if wrap_up == "loop":
        return wrap_up_of_loop(final)
    return wrap_up_of_delegation(policy.max_delegation_rounds, final)


def _final_names(parameters: Mapping[str, Any], rounds: Sequence[Round], policy: TurnPolicy) -> list[str]:
    """Return the tools that may give the final answer, or none where this turn has already called them too often.

    Some agents give their answer only by a tool call (pydantic-ai with an output type). Without the final tool, such an
    agent could not answer.
    """
    tried = sum(any(map(policy.finishes, one.names)) for one in rounds)
    return [] if tried >= _FINAL_TRIES else [*filter(policy.finishes, declared_names(parameters))]


def _events(standing: _Standing, policy: TurnPolicy, wrap_up: WrapUp) -> tuple[str, ...]:
    """Return the events that the newest round caused, and ``wrap_up`` where the model has to finish."""
    rounds, counts, before = standing.rounds, standing.counts, standing.before
    if not rounds and not wrap_up:
        return ()
    events = []
    if _newly_reached(standing.warning_from, counts.rounds, before.rounds):
        events.append("warning")
    if _newly_reached(standing.limit, counts.rounds, before.rounds):
        events.append("limit")
    if _newly_reached(policy.max_delegation_rounds, counts.delegations, before.delegations):
        events.append("delegation_limit")
    if standing.loop is not None and standing.loop.is_new:
        events.append("loop")
    if policy.hint_after_errors and rounds:
        newest = {result.place for result in rounds[-1].results}
        failures = find_failures(rounds, policy.hint_after_errors)
        if any(failure.result.place in newest for failure in failures):
            events.append("tool_errors")
    if wrap_up:
        events.append("wrap_up")
    return tuple(events)
