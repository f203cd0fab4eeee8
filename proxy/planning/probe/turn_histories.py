"""Histories for the rules about the order of turns, and about calls and their results."""

from __future__ import annotations

from proxy.planning.probe.history_values import (
    FIRST,
    SECOND,
    ProbeHistory,
    assistant,
    calling,
    function_call,
    histories,
    result,
    system,
    user,
)

_AGAIN = user("And tomorrow? Answer with one word.")
_ASKED = (user(), assistant())
_DEVELOPER = {"role": "developer", "content": "Answer briefly."}
_TWO_CALLS = calling(function_call(FIRST, "Paris"), function_call(SECOND, "Rome"))
_EQUAL_CALLS = calling(function_call(FIRST), function_call(SECOND))

ORDER_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories("call_after_model_turn", "tools", (user(), assistant(), calling(), result())),
    *histories("developer_role", "text", (_DEVELOPER, user())),
    *histories("first_turn_not_user", "text", (assistant(), user())),
    *histories("many_systems", "text", (system(), system("Be polite."), user())),
    *histories("no_turn", "text", (system("Say hello."),)),
    *histories(
        "reasoning_missing",
        "text",
        (*_ASKED, _AGAIN),
    ),
    *histories(
        "same_role_neighbours",
        "text",
        (user(), _AGAIN),
        (*_ASKED, assistant("It is."), _AGAIN),
    ),
    *histories("system_after_start", "text", (*_ASKED, system(), _AGAIN)),
    *histories("system_misplaced", "text", (*_ASKED, system(), _AGAIN)),
    *histories("system_unsupported", "text", (system(), user())),
    *histories("trailing_model_turn", "text", (user(), assistant("It is"))),
    *histories("trailing_space", "text", (user(), assistant("It is "))),
    *histories("user_after_result", "tools", (user(), calling(), result(), _AGAIN)),
)
"""Histories for the rules about the order of roles."""

PAIRING_HISTORIES: tuple[ProbeHistory, ...] = (
    *histories("duplicate_result", "tools", (user(), calling(), result(), result())),
    *histories("identical_call", "tools", (user(), _EQUAL_CALLS, result(FIRST), result(SECOND))),
    *histories("missing_result", "tools", (user(), calling(), _AGAIN)),
    *histories("orphaned_result", "tools", (user(), assistant(), result())),
    *histories("parallel_calls", "tools", (user(), _TWO_CALLS, result(FIRST), result(SECOND, "rain"))),
    *histories("result_order", "tools", (user(), _TWO_CALLS, result(SECOND, "rain"), result(FIRST))),
)
"""Histories for the rules about calls and their results."""
