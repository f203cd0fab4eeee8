"""Read a history as rounds: an assistant turn with tool calls, and its results.

Rounds are counted in the client's messages, not in the messages that are sent to a provider. A budget may drop messages
on the way, and merging differs by provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from sanitizers.budget.markers import is_from_user
from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Message, Messages, is_too_dense
from sanitizers.turns.carried_results import (
    Called,
    acts_in_text,
    calls_in_text,
    carries_result,
    is_from_client,
    texts_of,
)
from sanitizers.turns.outcomes import outcome_of
from sanitizers.work_limit import metered

_NEAR = 8
"""The most messages that are searched backwards for the message before a user message. System messages are skipped."""


class Result(NamedTuple):
    """A tool's result: the index of its message, the message, and the id of the call that it answers, or None."""

    place: int
    message: Message
    call_id: str | None


@dataclass(eq=False)
class Round:
    """One round. *calls* are in the order of the history, and *ids* are their ids in the same order."""

    index: int
    """The index of the round's first assistant message."""

    calls: list[Called] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    """The texts of the round's assistant messages without calls."""

    @property
    def text(self) -> str:
        """The text that distinguishes rounds whose calls cannot be read.

        It is empty for a round with readable calls.
        """
        return "" if self.calls else "".join(self.said)

    @property
    def names(self) -> list[str]:
        """The names of the called tools."""
        return [name for name, _ in self.calls]

    @cached_property
    def canonical(self) -> list[tuple[str, str]]:
        """The calls with canonical arguments, sorted, so that equal rounds have equal values."""
        return sorted((name, _canonical(arguments)) for name, arguments in self.calls)

    @cached_property
    def outcomes(self) -> list[Any]:
        """The contents of the results for comparison, sorted where all are texts."""
        said = [_without_ids(outcome_of(result.message), self._ids_for(result)) for result in self.results]
        return sorted(said) if all(isinstance(text, str) for text in said) else said

    def _ids_for(self, result: Result) -> Sequence[str | None]:
        """Return the ids to remove from *result*: all ids of the round, or in a large round only the result's own."""
        return self.ids if len(self.ids) <= _MAX_IDS else [result.call_id]

    def repeats(self, other: Round) -> bool:
        """Tell whether both rounds make the same calls with the same arguments, and got the same results."""
        if len(self.calls) != len(other.calls) or self.text != other.text:
            return False
        if self.calls != other.calls and sorted(self.names) != sorted(other.names):
            return False
        if self.outcomes != other.outcomes:
            return False
        # The most expensive check comes last: it parses arguments.
        return self.calls == other.calls or self.canonical == other.canonical

    def name_of(self, result: Result) -> str:
        """Return the name of the tool that a *result* belongs to, or an empty text where it is unknown."""
        if result.call_id in self._named:
            return self._named[result.call_id]
        name = result.message.get("name")
        if isinstance(name, str) and name in self._tools:
            return name
        return self.calls[0][0] if len(self._tools) == 1 else ""

    @cached_property
    def _named(self) -> dict[str | None, str]:
        """The tools' names by call id. Where several calls share an id, the first call's name counts."""
        named = zip(reversed(self.ids), reversed(self.names), strict=True)
        return {call_id: name for call_id, name in named if call_id is not None}

    @cached_property
    def _tools(self) -> frozenset[str]:
        return frozenset(self.names)


def opens_turn(messages: Messages, index: int) -> bool:
    """Tell whether the message at *index* is the user's own, so that it opens a turn."""
    message = messages[index]
    if message["role"] != "user" or not is_from_user(message):
        return False
    nearest = messages[max(0, index - _NEAR) : index]
    before = next((other for other in reversed(nearest) if other["role"] not in SYSTEM_ROLES), None)
    behind_result = before is not None and (before["role"] in RESULT_ROLES or _is_carrier(before))
    behind_call = behind_result or (before is not None and _acts(before))
    return not is_from_client(message, behind_call=behind_call, behind_result=behind_result)


def last_turn_start(messages: Messages) -> int:
    """Return the index after the message that opens the newest turn, or 0 where no message but the first could."""
    for index in range(len(messages) - 1, 0, -1):
        if messages[index]["role"] == "user" and opens_turn(messages, index):
            return index + 1
    return 0


def split_turns(messages: Messages) -> Iterator[list[Round]]:
    """Yield the rounds of each turn, oldest turn first."""
    start = 0
    for index, message in enumerate(messages):
        if message["role"] == "user" and opens_turn(messages, index):
            yield read_rounds(messages, start, index)
            start = index + 1
    yield read_rounds(messages, start, len(messages))


def read_rounds(messages: Messages, start: int, end: int) -> list[Round]:
    """Return the rounds between *start* and *end*. The caller ensures that no message after *start* opens a turn.

    Assistant messages in a row are one round if a result follows, since some clients send parallel calls one by one. If
    no result follows, each message with calls is a round. So rounds are counted even where a client drops results. An
    assistant message without calls is a round if a result follows, since its text then holds the calls.
    """
    rounds: list[Round] = []
    run: list[Round] = []  # the newest assistant messages, until a result joins them to one round
    for index in metered(range(start, end)):
        message = messages[index]
        role = message["role"]
        if role == "assistant":
            if run and run[-1].results:
                rounds += run
                run = []
            run.append(_read_turn(index, message))
        elif role in SYSTEM_ROLES or not run:
            continue
        elif role in RESULT_ROLES:
            _answer(run, Result(index, message, message.get("tool_call_id")))
        elif carries_result(message):
            _answer(run, Result(index, message, None))
    return rounds + [one for one in run if one.calls or one.results]


def _is_carrier(message: Message) -> bool:
    return message["role"] == "user" and carries_result(message)


def _acts(message: Message) -> bool:
    return message["role"] == "assistant" and (
        bool(message.get("tool_calls") or message.get("function_call")) or acts_in_text(message)
    )


def _answer(run: list[Round], result: Result) -> None:
    """Join the assistant messages of *run* to one round, and add *result* to that round."""
    if len(run) > 1:
        whole = Round(run[0].index)
        for one in run:
            whole.calls += one.calls
            whole.ids += one.ids
            whole.said += one.said
        run[:] = [whole]
    run[0].results.append(result)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _read_turn(index: int, message: Message) -> Round:
    turn = Round(index)
    for call in message.get("tool_calls") or ():
        function = call.get("function") or _NOTHING
        name = function.get("name")
        if name and "arguments" in function:
            turn.calls.append((name, function["arguments"]))
        else:
            custom = call.get("custom") or _NOTHING
            given = function["arguments"] if "arguments" in function else custom.get("input")
            turn.calls.append((name or custom.get("name") or "", given))
        turn.ids.append(call.get("id"))
    legacy = message.get("function_call")
    if legacy:
        turn.calls.append((legacy.get("name") or "", legacy.get("arguments")))
        turn.ids.append(None)
    if not turn.calls:
        turn.calls += (said := calls_in_text(message))
        turn.ids += [None] * len(said)
        if not said:
            turn.said += texts_of(message)
    return turn


def _without_ids(said: Any, ids: Sequence[str | None]) -> Any:
    """Return a result's content without the call *ids* that some tools write into their output."""
    if isinstance(said, str):
        for call_id in ids:
            if call_id and len(call_id) >= _SHORTEST_ID and call_id in said:
                said = said.replace(call_id, "")
    return said


_MAX_IDS = 32
"""The largest number of calls in a round for which every result is searched for all ids."""

_SHORTEST_ID = 6
"""The shortest id, in characters, that is removed from results.

A short id such as ``1`` occurs in many texts by chance.
"""


def _canonical(arguments: Any) -> str:
    """Return arguments as JSON with sorted keys and no white space, or as their own text where they are no JSON."""
    if isinstance(arguments, str) and is_too_dense(arguments):
        return arguments
    try:
        value = orjson.loads(arguments) if isinstance(arguments, str) else arguments
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return str(arguments)
