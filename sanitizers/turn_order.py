"""Check the order of a history's turns at once, from one letter for each message.

:mod:`sanitizers.turn_violations` has the same rules. That module reads each message and names each broken rule. This
module only finds out that no rule is broken, which holds for nearly all histories.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sanitizers.messages import Messages
from sanitizers.outline import LETTERS
from sanitizers.profiles import Profile

_MAX_CALLS = 16
"""The most calls of one turn that the pattern matches, since it lists every number of calls."""


class Order(NamedTuple):
    """The roles of a history, in the letters of an outline's ``order``, and the ids of its calls and results."""

    letters: str
    call_ids: Sequence[str]
    result_ids: Sequence[str | None]


def order_of(messages: Messages) -> Order:
    """Return the order of validated *messages*, plain or not. ``?`` stands for a message that ids alone cannot pair."""
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
    """Return True where a history of this :class:`Order` surely breaks no rule about turns.

    False means that a rule may be broken. This includes results in another order than their calls, and rules that
    depend on contents.
    """
    if [*ids] != result_ids or profile.echoes_reasoning:
        return False
    if ids and (not profile.calls_with_text or (profile.unique_call_ids and len(set(ids)) < len(ids))):
        return False
    if ids and (profile.thinks_before_calls or (not profile.parallel_calls and "e" in letters)):
        return False
    # The rules for a trailing assistant message depend on its content.
    if not (profile.model_last and profile.trailing_space) and letters.rstrip("ds").endswith("a"):
        return False
    return _legal_order(profile).fullmatch(letters) is not None


@lru_cache(maxsize=64)
def _legal_order(profile: Profile) -> re.Pattern[str]:
    """Return a pattern for the orders that *profile* accepts."""
    system = "[ds]" if profile.developer_role else "s"
    leading = "" if not profile.system_role else f"{system}*+" if profile.many_systems else f"{system}?+"
    first = "u" if profile.user_first else "[acu]"
    rounds = "|".join("c" + (count - 1) * "e" + count * "t" for count in range(1, _MAX_CALLS + 1))
    before_user = "" if profile.user_runs else "(?<!u)"
    before_user += "" if profile.user_after_result else "(?<!t)"
    before_assistant = "" if profile.assistant_runs else "(?<!a)"
    turns = [f"{before_user}u", f"{before_assistant}(?:{rounds}|a)"]
    if profile.system_role and profile.system_anywhere:
        turns.append(f"(?<=[ut]){system}(?=[ac]|\\Z)" if profile.systems_behind_users else system)
    body = f"(?={first})(?:{'|'.join(turns)})*+"
    return re.compile(leading + (body if profile.turn_required else f"(?:{body})?"))
