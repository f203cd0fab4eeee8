"""Tests of the limit that applies, of the warning before the limit, and of events that are reported once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitizers.turns import EVENTS, TurnPolicy
from tests.sanitizers.turns.histories import ENFORCE, WARN, guard, one_round, turn_of
from tests.support.builders import user


@pytest.mark.parametrize(
    ("limits", "asked", "alone", "multi_agent"),
    [
        ((25, 50), None, 25, 50),
        ((25, 50), 10, 10, 10),
        ((25, 50), 30, 25, 30),
        ((25, 50), 99, 25, 50),
        ((0, 50), None, 0, 50),
        ((0, 50), 10, 10, 10),
        ((25, 0), 40, 25, 40),
        ((0, 0), 1, 1, 1),
        ((0, 0), None, 0, 0),
    ],
)
def test_a_client_only_lowers_the_limit(
    limits: tuple[int, int], asked: int | None, alone: int, multi_agent: int
) -> None:
    """The client's limit applies if the operator sets no limit."""
    policy = replace(WARN, max_rounds=limits[0], max_rounds_multi_agent=limits[1])

    lowered = policy if asked is None else policy.lowered(asked)
    assert lowered.limit(multi_agent=False) == alone
    assert lowered.limit(multi_agent=True) == multi_agent
    assert guard(turn_of(1), policy, asked, "f").turn.limit == alone
    assert guard(turn_of(1), policy, asked, "f", "task").turn.limit == multi_agent
    assert guard(turn_of(1, "task"), policy, asked).turn.limit == multi_agent


@pytest.mark.parametrize(
    ("limit", "share", "warns"),
    [
        (25, 0.8, 20),
        (50, 0.8, 40),
        (10, 0.8, 8),
        (3, 0.8, 3),
        (1, 0.8, 1),
        (100, 0.55, 55),
        (100, 0.07, 7),
        (10, 0.81, 9),
        (25, 1.0, 25),
        (0, 0.8, 0),
        (25, 0.0, 0),
    ],
)
def test_the_warning_is_due_with_the_first_round_that_reaches_its_share(
    limit: int, share: float, warns: int
) -> None:
    """Floating-point rounding does not move the warning to another round."""
    policy = replace(WARN, max_rounds=limit, warn_at=share)

    assert policy.warning_from(limit) == warns
    if warns:
        assert not guard(turn_of(warns - 1), policy).turn.warns
    assert guard(turn_of(warns), policy).turn.warns == bool(warns)


def test_at_the_limit_of_delegation_its_tools_are_withheld() -> None:
    """At the limit of delegation, a turn is wrapped up only if all declared tools delegate."""
    history = turn_of(10, "task")

    assert guard(turn_of(9, "task"), ENFORCE, None, "task").turn.wrap_up == ""
    assert guard(history, ENFORCE, None, "task").turn.wrap_up == "delegation"
    assert guard(history, ENFORCE, None, "task", "f").turn.wrap_up == ""
    assert guard(history, ENFORCE, None, "f").turn.wrap_up == ""
    assert guard(history, ENFORCE).turn.wrap_up == ""
    assert guard(history, WARN, None, "task").turn.wrap_up == ""
    off = replace(ENFORCE, max_delegation_rounds=0)
    assert guard(turn_of(40, "task"), off, None, "task").turn.wrap_up == ""


@pytest.mark.parametrize(
    ("count", "name", "policy", "events"),
    [
        (19, "f", WARN, ()),
        (20, "f", WARN, ("warning",)),
        (21, "f", WARN, ()),
        (25, "f", WARN, ("limit",)),
        (26, "f", WARN, ()),
        (24, "f", ENFORCE, ()),
        (25, "f", ENFORCE, ("limit", "wrap_up")),
        (60, "f", ENFORCE, ("wrap_up",)),
        (60, "f", replace(ENFORCE, max_rounds=0), ()),
        (1, "f", replace(WARN, max_rounds=1), ("warning", "limit")),
        (9, "task", WARN, ()),
        (10, "task", WARN, ("delegation_limit",)),
        (11, "task", WARN, ()),
        (30, "task", replace(WARN, max_delegation_rounds=0), ()),
        (0, "f", WARN, ()),
    ],
)
def test_each_event_is_reported_with_the_round_that_caused_it(
    count: int, name: str, policy: TurnPolicy, events: tuple[str, ...]
) -> None:
    """The event ``wrap_up`` is reported with every request from the limit on."""
    turn = guard(turn_of(count, name), policy).turn

    assert turn.events == events
    assert turn.wrap_up == ("limit" if "wrap_up" in events else "")


plans = st.lists(st.tuples(st.sampled_from(["f", "f", "f", "task"]), st.integers(0, 1)), max_size=30)
policies = st.builds(
    TurnPolicy,
    st.sampled_from(["warn", "enforce"]),
    st.integers(0, 12),
    st.integers(0, 20),
    st.sampled_from([0.3, 0.55, 0.8, 1.0]),
    st.integers(0, 5),
    max_repeats=st.sampled_from([0, 2, 3, 5]),
    hint_after_errors=st.integers(0, 3),
)


@given(plans, policies, st.none() | st.integers(1, 15))
def test_events_are_reported_once_in_a_turn(
    plan: list[tuple[str, int]], policy: TurnPolicy, asked: int | None
) -> None:
    """In a session that grows by one round per request, each limit is reported once.

    Loops and tool errors may be reported again.
    """
    history = turn_of(0)
    told: Counter[str] = Counter()
    last = guard(history, policy, asked, "f", "task").turn
    for number, (name, letter) in enumerate(plan):
        history = [*history, *one_round(number, name, f"{letter}", "Error: no" if letter else "ok")]
        last = guard(history, policy, asked, "f", "task").turn
        assert [event for event in EVENTS if event in last.events] == list(last.events)
        assert ("wrap_up" in last.events) == bool(last.wrap_up)
        told.update(last.events)

    assert told["warning"] == last.warns
    assert told["limit"] == bool(0 < last.limit <= last.rounds)
    assert told["delegation_limit"] == bool(0 < last.delegation_limit <= last.delegations)
    assert told["tool_errors"] <= 2
    assert bool(told["loop"]) <= bool(policy.max_repeats)
    assert guard([*history, user("and now?")], policy, asked).turn.events == ()
