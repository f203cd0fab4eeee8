"""Whether the turns of a history stand in a legal order, told from a letter for each.

The rules are those of :mod:`sanitizers.turn_violations`, which looks at each message and says what is wrong; here it
is seen that nothing is, which holds for nearly all histories.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sanitizers.messages import Messages
from sanitizers.outline import LETTERS
from sanitizers.profiles import Profile

_MOST_CALLS = 16
"""Calls of one turn beyond which a history is looked at message by message: a pattern cannot count."""


class Order(NamedTuple):
    """Who speaks in a history, in the letters of :attr:`sanitizers.outline.Outline.order`, and the ids of its pairs."""

    letters: str
    call_ids: Sequence[str]
    result_ids: Sequence[str | None]


def order_of(messages: Messages) -> Order:
    """Return the order of validated *messages*, plain or not; ``?`` stands for what is paired by more than its id."""
    letters = ""
    call_ids: list[str] = []
    result_ids: list[str | None] = []
    for message in messages:
        role = message["role"]
        if role == "tool":
            result_ids.append(message.get("tool_call_id"))
            letters += "t"
        elif role == "assistant" and (calls := message.get("tool_calls")):
            if len(calls) == 1:
                call_ids.append(calls[0].get("id") or "")
                letters += "c"
                continue
            ids = [call.get("id") or "" for call in calls]
            call_ids += ids
            letters += "c" + (len(ids) - 1) * "e" if len(set(ids)) == len(ids) else "?"
        else:
            letters += LETTERS.get(role, "?")
    return Order(letters, call_ids, result_ids)


def is_in_order(letters: str, ids: Sequence[str], result_ids: Sequence[str | None], profile: Profile) -> bool:
    """Tell whether a history of this :class:`Order` breaks no rule about turns; False also where that is not known.

    Not known is it of results in another order than their calls, and of what depends on more than who speaks.
    """
    if [*ids] != result_ids or profile.echoes_reasoning:
        return False
    if ids and (not profile.calls_with_text or (profile.unique_call_ids and len(set(ids)) < len(ids))):
        return False
    # Whether the assistant may have the last word may go by what it says.
    if not (profile.model_last and profile.trailing_space) and letters.rstrip("ds").endswith("a"):
        return False
    return _legal_order(profile).fullmatch(letters) is not None


@lru_cache(maxsize=64)
def _legal_order(profile: Profile) -> re.Pattern[str]:
    """Return what matches the orders that *profile* takes."""
    system = "[ds]" if profile.developer_role else "s"
    leading = "" if not profile.system_role else f"{system}*+" if profile.many_systems else f"{system}?+"
    first = "u" if profile.user_first else "[acu]"
    rounds = "|".join("c" + (count - 1) * "e" + count * "t" for count in range(1, _MOST_CALLS + 1))
    before_user = "" if profile.user_runs else "(?<!u)"
    before_user += "" if profile.user_after_result else "(?<!t)"
    before_assistant = "" if profile.assistant_runs else "(?<!a)"
    turns = [f"{before_user}u", f"{before_assistant}(?:{rounds}|a)"]
    if profile.system_role and profile.system_anywhere:
        turns.append(system)
    body = f"(?={first})(?:{'|'.join(turns)})*+"
    return re.compile(leading + (body if profile.turn_required else f"(?:{body})?"))
