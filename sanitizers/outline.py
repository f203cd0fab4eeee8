"""What a history is made of, told in one walk, so that plain messages are looked at all at once from then on.

Nearly all messages of an agent are plain: a text, or calls of functions, with the fields that OpenAI's format names
and no others, each of its type. What may be wrong with such a message is seen from the names, ids and arguments of all
calls together, so that whoever has an outline looks at the other messages alone, the *odd* ones (of 300 messages with
140 calls, a walk over all takes 0.15 ms, and every check took one).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sanitizers.messages import SIGNATURE_MARKS, Messages

DEPTH = 4
"""Containers that lie one in another in a plain message, itself among them: calls, a call, its function."""

TURN_FIELDS = frozenset({"content", "role", "tool_calls"})
RESULT_FIELDS = frozenset({"content", "name", "role", "tool_call_id"})
PLAIN_FIELDS = TURN_FIELDS | RESULT_FIELDS | {"arguments", "function", "id", "type"}
"""The fields of plain messages: of a turn, of a tool's result, and all of them with those within a call."""

_TEXT_ROLES = frozenset({"assistant", "developer", "system", "user"})


class Outline(NamedTuple):
    """What *messages* are made of; it holds for this very object alone."""

    messages: Messages
    odd: Sequence[int]
    """The places of the messages that are not plain; what follows tells of the plain ones."""

    blank: Sequence[int]
    """The places of those whose content is an empty text, or white space alone."""

    twins: Sequence[int]
    """The places of those that call one function more than once."""

    call_ids: Sequence[str]
    """The ids of their calls: none is empty, and none stands twice in one message."""

    arguments: Sequence[str]
    """The arguments of their calls."""

    names: frozenset[str]
    """The tools that they call, and that they are results of."""

    result_ids: Sequence[str]
    """The ids of the calls that their results are of."""

    named: int
    """How many of their results say their tool's name."""

    turns: int
    """The assistant's messages among them."""

    marked: bool
    """Whether an id among them has a signature behind it."""

    def tells_of(self, messages: Messages) -> bool:
        """Tell whether *messages* are what this is the outline of."""
        return messages is self.messages


def outline_of(messages: list[Any]) -> Outline:
    """Return the outline of *messages*, which may be anything that JSON can express: what is no message is odd."""
    odd: list[int] = []
    blank: list[int] = []
    twins: list[int] = []
    call_ids: list[str] = []
    arguments: list[str] = []
    names: list[str] = []
    result_ids: list[str] = []
    named = turns = 0
    for index, message in enumerate(messages):
        if message.__class__ is not dict:
            odd.append(index)
            continue
        role, content = message.get("role"), message.get("content")
        if content.__class__ is str:
            if not content or content.isspace():
                blank.append(index)
            if role == "tool":
                result_id = message.get("tool_call_id")
                if result_id.__class__ is str:
                    if len(message) == 3:
                        result_ids.append(result_id)
                        continue
                    name = message.get("name")
                    if name.__class__ is str and len(message) == 4:
                        result_ids.append(result_id)
                        if name:
                            names.append(name)
                            named += 1
                        continue
            elif len(message) == 2 and role.__class__ is str and role in _TEXT_ROLES:
                turns += role == "assistant"
                continue
        calls = message.get("tool_calls")
        if (
            role != "assistant"
            or calls.__class__ is not list
            or len(message) != 2 + ("content" in message)
            or not (content is None or content.__class__ is str)
        ):
            odd.append(index)
            continue
        before = len(call_ids)
        for call in calls:
            if call.__class__ is not dict or len(call) != 3 or call.get("type") != "function":
                break
            call_id, function = call.get("id"), call.get("function")
            if function.__class__ is not dict or len(function) != 2:
                break
            name, given = function.get("name"), function.get("arguments")
            if not (call_id.__class__ is name.__class__ is given.__class__ is str and call_id and name):
                break
            call_ids.append(call_id)
            names.append(name)
            arguments.append(given)
        made = len(call_ids) - before
        if made == len(calls) == 1 or (made == len(calls) > 1 and len(set(call_ids[before:])) == made):
            turns += 1
            if made > 1 and len(set(names[-made:])) < made:
                twins.append(index)
        else:
            odd.append(index)
            del call_ids[before:], arguments[before:], names[len(names) - made :]
    ids = "\n".join((*call_ids, *result_ids))
    marked = any(mark in ids for mark in SIGNATURE_MARKS)
    called = frozenset(names)
    return Outline(messages, odd, blank, twins, call_ids, arguments, called, result_ids, named, turns, marked)
