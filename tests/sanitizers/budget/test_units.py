"""Units hold a call and its results together, in the current and the legacy form."""

from __future__ import annotations

from hypothesis import given

from sanitizers.budget.units import Unit, count_leading_system, split_units, tool_name_of, tool_names_of
from tests.support.builders import assistant, call, developer, legacy_call, legacy_result, system, tool, user
from tests.support.strategies import any_histories, legal_histories

HISTORY = [
    system(),
    developer(),
    user("goal"),
    assistant("on it", calls=[call("a", "read"), call("b", "grep")]),
    tool("a"),
    tool("b"),
    legacy_call("old"),
    legacy_result("old"),
    user("and?"),
    assistant("done"),
]


def test_results_are_in_the_unit_of_their_call() -> None:
    """The calls have the current and the legacy form. Every other message is a unit of its own."""
    units = split_units(HISTORY, 2)

    assert units == [
        Unit(2, 3, "user"),
        Unit(3, 6, "assistant"),
        Unit(6, 8, "assistant"),
        Unit(8, 9, "user"),
        Unit(9, 10, "assistant"),
    ]
    assert [list(unit.results()) for unit in units] == [[], [4, 5], [7], [], []]
    assert [unit.may_end_request(HISTORY) for unit in units] == [True, True, True, True, False]


def test_leading_system_messages_are_counted() -> None:
    """Developer messages count as system messages. Counting stops at the first other message."""
    assert count_leading_system(HISTORY) == 2
    assert count_leading_system(HISTORY[:2]) == 2
    assert count_leading_system([user(), system()]) == 0


def test_a_result_has_the_tool_name_of_its_call() -> None:
    """A legacy result holds the tool's name itself. A result without a call has an empty name."""
    assert tool_name_of(HISTORY[5], tool_names_of(HISTORY[3])) == "grep"
    assert tool_name_of(HISTORY[7], tool_names_of(HISTORY[6])) == "old"
    assert tool_name_of(tool("none"), tool_names_of(HISTORY[3])) == ""


@given(any_histories() | legal_histories())
def test_units_are_the_whole_history(history: list[dict[str, object]]) -> None:
    """Every message is in one unit, in order. No later unit begins with a result."""
    units = split_units(history)

    assert [at for unit in units for at in range(unit.start, unit.end)] == list(range(len(history)))
    for unit in units[1:]:
        assert history[unit.start]["role"] not in ("tool", "function")
