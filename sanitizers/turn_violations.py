"""The checker's walk through the turns of a history: their order, and the pairing of calls and results.

The walk goes front to back, message by message, as a provider reads. :mod:`sanitizers.message_violations` checks each
message by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

from sanitizers.messages import SYSTEM_ROLES, Message, Messages
from sanitizers.profiles import Profile
from sanitizers.work_limit import metered

_NONE: Set[str] = frozenset()
_BEFORE_SYSTEMS = frozenset({"tool", "user"})


def find_turn_violations(messages: Messages, profile: Profile) -> Iterator[tuple[str, int]]:
    """Yield each rule of :data:`sanitizers.invariants.RULES` that the order of *messages* breaks, with the index.

    *messages* are validated. The rules are about the order of roles, and about which result answers which call. The
    walk stays in one function: each branch reads and writes half of its nine variables.
    """
    expected: Sequence[str] = ()  # ids of the open call turn, in call order
    wanted: Set[str] = _NONE  # the same
    answered: set[str] = set()
    call_turn = -1  # index of the open call turn
    next_result = 0
    used: set[str] = set()  # ids of all calls so far
    spoke_last: Message = {}
    previous = ""  # role of the turn before, system messages left out
    neighbour = ""  # role of the message before
    ordered, unique, with_text = profile.ordered_results, profile.unique_call_ids, profile.calls_with_text
    inline, places_systems = -1, profile.systems_behind_users  # index of the later system message just before
    echoes, thinks_first = profile.echoes_reasoning, profile.thinks_before_calls
    for index, message in enumerate(metered(messages)):
        role = message["role"]
        if inline >= 0:
            if role != "assistant":
                yield "system_misplaced", inline
            inline = -1
        if role == "tool":
            call_id: Any = message.get("tool_call_id")
            if call_id not in wanted:
                yield "orphaned_result", index
            elif call_id in answered:
                yield "duplicate_result", index
            else:
                answered.add(call_id)
                if ordered and (next_result >= len(expected) or expected[next_result] != call_id):
                    yield "result_order", index
                next_result += 1
            previous = neighbour = role
            continue
        if expected:
            if len(answered) < len(expected):
                yield "missing_result", call_turn
            expected, wanted = (), _NONE  # the call turn is over
        if role in SYSTEM_ROLES:
            if previous and not profile.system_anywhere:
                yield "system_after_start", index
            elif previous and places_systems:
                inline = index
                if neighbour not in _BEFORE_SYSTEMS:
                    yield "system_misplaced", index
                    inline = -1
            if role == "developer" and not profile.developer_role:
                yield "developer_role", index
            if not profile.system_role:
                yield "system_unsupported", index
            elif not previous and neighbour and not profile.many_systems:
                yield "many_systems", index
            neighbour = role
            continue
        if not previous and role != "user" and profile.user_first:
            yield "first_turn_not_user", index
        if role == "assistant":
            calls = message.get("tool_calls")
            spoke_last = message
            if echoes and not isinstance(message.get("reasoning_content"), str):
                yield "reasoning_missing", index
            if neighbour == "assistant" and not profile.assistant_runs:
                yield ("call_after_model_turn" if calls else "same_role_neighbours"), index
            if calls:
                if len(calls) == 1:  # the usual case: a comprehension for it takes a fifth of this walk
                    first = calls[0].get("id") or ""
                    expected, wanted = (first,), {first}
                else:
                    expected = [call.get("id") or "" for call in calls]
                    wanted = set(expected)
                    if not profile.parallel_calls:
                        yield "parallel_calls", index
                answered, next_result, call_turn = set(), 0, index
                if thinks_first and not _has_text(message.get("reasoning_content")):
                    yield "reasoning_missing", index
                if not with_text and message.get("content"):
                    yield "text_beside_calls", index
                if unique:
                    if not used.isdisjoint(wanted):
                        yield "call_id_repeated", index
                    used |= wanted
        elif role == "user" and neighbour == "user" and not profile.user_runs:
            yield "same_role_neighbours", index
        elif role == "user" and neighbour == "tool" and not profile.user_after_result:
            yield "user_after_result", index
        previous = neighbour = role
    if len(answered) < len(expected):
        yield "missing_result", call_turn
    last = len(messages) - 1
    if not previous and profile.turn_required:
        yield "no_turn", last
    if previous == "assistant":
        if not (profile.model_last or (profile.takes_prefix and spoke_last.get("prefix") is True)):
            yield "trailing_model_turn", last
        elif not profile.trailing_space and _last_letter(spoke_last.get("content")).isspace():
            yield "trailing_space", last


def _has_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _last_letter(content: Any) -> str:
    """Return the last character of a content that ends with a text, or an empty text for any other content."""
    if isinstance(content, list):
        content = content[-1].get("text") if content and content[-1]["type"] == "text" else None
    return content[-1:] if isinstance(content, str) else ""
