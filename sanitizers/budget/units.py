"""Divide a history into units, which are kept or dropped together.

A unit is one message with the tool results that follow it, or one message alone. At the end of a history, a notice of
the turn guard (:mod:`sanitizers.turns`) belongs to the unit of the results before the notice. The same holds for an
assistant message that a provider needs before the notice. In a legal history, results directly follow their call. So
dropping whole units never separates a call from its result. Reasoning and thought signatures are in the same message as
their calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sanitizers.messages import RESULT_ROLES, SYSTEM_ROLES, Message, Messages, function_of, tool_calls_of
from sanitizers.synthetic import BRIDGE, is_instruction

_ASKING_ROLES = RESULT_ROLES | {"user"}


class Unit(NamedTuple):
    """The messages from *start* up to *end*.

    *role* is the role of the first message. The last *notices* messages are not results but the turn guard's notice.
    """

    start: int
    end: int
    role: str
    notices: int = 0

    def results(self) -> range:
        """Return the indexes of the unit's tool results."""
        first = self.start + (self.role not in RESULT_ROLES)
        return range(first, max(first, self.end - self.notices))  # all others after the first are results

    def may_end_request(self, messages: Messages) -> bool:
        """Tell whether a client could have sent the history up to here, since the model's turn would be next.

        A cut is decided at every such message, whether a request ended there or not. So the cuts do not depend on which
        requests were seen. If a user interrupts after tool results, two such messages follow each other.
        """
        return messages[self.end - 1]["role"] in _ASKING_ROLES


def count_leading_system(messages: Messages) -> int:
    """Return the number of system messages that lead the history. These cannot be cut, and are no turns."""
    for at, message in enumerate(messages):
        if message["role"] not in SYSTEM_ROLES:
            return at
    return len(messages)


def split_units(messages: Messages, start: int = 0) -> list[Unit]:
    """Return all units of *messages* from *start* on, in order."""
    roles = [message["role"] for message in messages[start:]]
    starts = [at for at, role in enumerate(roles, start) if role not in RESULT_ROLES or at == start]
    notices = _count_notices(messages, starts)
    if notices:
        del starts[-notices:]
    ends = [*starts[1:], len(messages)]
    units = [Unit(at, end, roles[at - start]) for at, end in zip(starts, ends, strict=False)]
    return [*units[:-1], units[-1]._replace(notices=notices)] if notices else units


def _count_notices(messages: Messages, starts: Sequence[int]) -> int:
    """Return the number of messages at the end that are a notice of the turn guard, with the bridge before it."""
    if len(starts) < 2 or not is_instruction(messages[-1]):
        return 0
    at = len(messages) - 2
    notices = 1
    if messages[at]["role"] == "assistant" and messages[at].get("content") == BRIDGE:
        at, notices = at - 1, 2
    return notices if at > 0 and messages[at]["role"] in RESULT_ROLES and len(starts) > notices else 0


def tool_names_of(turn: Message) -> Mapping[str, str]:
    """Return the names of the tools that *turn* calls, by call id.

    If calls share an id, the first call's name counts.
    """
    return {
        call["id"]: function_of(call).get("name") or (call.get("custom") or {}).get("name") or ""
        for call in reversed(tool_calls_of(turn))
        if isinstance(call.get("id"), str)
    }


def tool_name_of(result: Message, names: Mapping[str, str]) -> str:
    """Return the name of the tool that made *result*.

    *names* holds the tool names by call id, from the first message of the result's unit.
    """
    known = names.get(result.get("tool_call_id") or "")
    return (result.get("name") or "") if known is None else known
