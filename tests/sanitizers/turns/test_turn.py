"""Tests of a turn's state as a header and as JSON-ready values."""

from __future__ import annotations

import pytest

from sanitizers.turns import Turn


@pytest.mark.parametrize(
    ("turn", "header"),
    [
        (Turn("warn", 0, 25), "0/25"),
        (Turn("warn", 30, 0), "30"),
        (Turn("warn", 20, 25, warns=True), "20/25;warn"),
        (Turn("enforce", 25, 25, warns=True, wrap_up="limit"), "25/25;warn;wrap-up"),
        (Turn("warn", 5, 25, loop_period=1), "5/25;loop"),
        (Turn("enforce", 6, 25, loop_period=2, wrap_up="loop"), "6/25;wrap-up;loop"),
        (Turn("warn", 0, 50, delegations=3, delegation_limit=10), "0/50;delegations=3/10"),
        (Turn("warn", 0, 50, delegations=3), "0/50;delegations=3"),
    ],
)
def test_the_header_states_rounds_limit_and_events(turn: Turn, header: str) -> None:
    """The header names the rounds first, and then only the parts that apply."""
    assert turn.header() == header


def test_json_values_are_null_where_a_limit_loop_or_wrap_up_is_missing() -> None:
    """Counts of zero stay numbers."""
    missing = ("limit", "delegation_limit", "loop_period", "wrap_up")
    full = Turn("enforce", 26, 25, 10, 10, warns=True, loop_period=2, wrap_up="limit", events=("wrap_up",))

    assert full.as_dict() == {
        "mode": "enforce",
        "rounds": 26,
        "limit": 25,
        "delegation_rounds": 10,
        "delegation_limit": 10,
        "warns": True,
        "loop_period": 2,
        "wrap_up": "limit",
        "events": ["wrap_up"],
    }
    empty = Turn("warn", 0, 0).as_dict()
    assert [name for name, value in empty.items() if value is None] == list(missing)
    assert (empty["rounds"], empty["delegation_rounds"], empty["events"]) == (0, 0, [])
