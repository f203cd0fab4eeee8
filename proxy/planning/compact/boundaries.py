"""The places where a history can be cut without separating a call from its result.

Clients' histories are read before sanitizing, so they may break rules: a result may come late, or be missing. A cut
that separated a late result from its call would lose the result.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from sanitizers.messages import RESULT_ROLES, Message, Messages, base_id
from sanitizers.work_limit import metered


def find_boundaries(messages: Messages) -> list[int]:
    """Return the indexes before which *messages* can be cut, in order. The length of *messages* is the last one.

    No call before such an index has its result at the index or later. The message at the index is not a tool's result.
    """
    count = len(messages)
    depth = [0] * (count + 2)
    """By index: how much the number of calls that wait for a result grows or falls there."""
    newest: dict[str, int] = {}
    unanswered: dict[str, list[int]] = {}
    places = [count]
    for at, message in enumerate(metered(messages)):
        if message.get("role") in RESULT_ROLES:
            name = _result_name(message)
            made = newest.get(name)
            if made is not None:
                waiting = unanswered[name]
                # Of several calls with one id, the result may belong to the newest, or to one without a result.
                depth[min([made, *waiting[:1]]) + 1] += 1
                depth[at + 1] -= 1
                del waiting[-1:]
            continue
        places.append(at)
        if message.get("tool_calls") or "function_call" in message:
            for name in _call_names(message):
                newest[name] = at
                unanswered.setdefault(name, []).append(at)
    open_calls = list(accumulate(depth))
    return sorted(at for at in places if not open_calls[at])


def is_boundary(messages: Messages, at: int) -> bool:
    """Return True where *at* is one of the indexes that :func:`find_boundaries` returns.

    A cut is possible where no result from *at* on names a call before *at*. Only otherwise are all boundaries found.
    """
    if at < len(messages) and messages[at].get("role") in RESULT_ROLES:
        return False
    results = {_result_name(each) for each in metered(messages[at:]) if each.get("role") in RESULT_ROLES}
    if not results or not any(
        not results.isdisjoint(_call_names(message))
        for message in metered(messages[:at])
        if message.get("tool_calls") or "function_call" in message
    ):
        return True
    return at in find_boundaries(messages)


def _call_names(message: Message) -> list[str]:
    """Return the names under which the results of a message's calls are found: ids, or the name of a function."""
    calls: Any = message.get("tool_calls")
    names = [
        base_id(call["id"])
        for call in (calls if isinstance(calls, list) else ())
        if isinstance(call, dict) and isinstance(call.get("id"), str)
    ]
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        names.append(f"function {legacy.get('name')}")
    return names


def _result_name(message: Message) -> str:
    call_id = message.get("tool_call_id")
    return base_id(call_id) if isinstance(call_id, str) else f"function {message.get('name')}"
