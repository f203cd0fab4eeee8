"""Tests of one client's evidence for a repair: its confidence, its decay, and when a probe is due."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.state.repairs.evidence import Evidence, confidence
from proxy.state.repairs.repair_table import LEAST, LEAST_LOOSENING

NOW = 1_700_000_000.0
DAY = 86_400.0
NEW = Evidence(at=NOW, probed_at=NOW)

Step = Callable[[Evidence], Evidence]
Counts = st.floats(0, 1e6)


def confirmed(conversations: int) -> Evidence:
    """Return the evidence after that many *conversations* confirmed the repair, all at the same time."""
    held = NEW
    for number in range(conversations):
        held = held.confirm(str(number), NOW)
    return held


def sure(held: Evidence) -> float:
    """Return the confidence of the counts of *held*."""
    return confidence(held.confirmed, held.contradicted)


@pytest.mark.parametrize(("least", "needed"), [(LEAST, [4, 9, 12, 16]), (LEAST_LOOSENING, [15, 31, 45])])
def test_confirmations_that_outweigh_contradictions(least: float, needed: list[int]) -> None:
    """Each of *needed* is the least number of confirmations with 0, 1, 2 and so on against the repair."""
    found = [
        next(number for number in count() if confidence(number, against) >= least)
        for against in range(len(needed))
    ]
    assert found == needed


@given(Counts, Counts, Counts)
@example(1e-165, 0.0, 0.0)  # a clock that jumps by fifteen years leaves such a count
@example(2e-12, 1.0, 0.0)  # the difference of nearly equal numbers is rounded
def test_confidence_is_a_share_that_follows_the_evidence(
    confirmations: float, contradictions: float, further: float
) -> None:
    """For any counts it is between 0 and 1. Confirmations never lower it, and contradictions never raise it."""
    before = confidence(confirmations, contradictions)
    assert 0 <= before <= 1
    assert confidence(confirmations + further, contradictions) >= before - 1e-9
    assert confidence(confirmations, contradictions + further) <= before + 1e-9


def test_confidence_without_any_observation_is_zero() -> None:
    assert confidence(0, 0) == 0


def test_counts_halve_in_seven_days() -> None:
    """The shares of both counts stay, while the counts themselves become less."""
    held = replace(NEW, confirmed=8.0, contradicted=2.0)
    later = held.decayed(NOW + 7 * DAY)
    assert (later.confirmed, later.contradicted, later.at) == (4.0, 1.0, NOW + 7 * DAY)
    assert held.decayed(NOW + 3 * DAY).decayed(NOW + 7 * DAY).confirmed == pytest.approx(4.0)


@pytest.mark.parametrize(("days", "is_learned"), [(16, True), (17, False)])
def test_silence_unlearns_twenty_confirmations(days: int, is_learned: bool) -> None:
    """Twenty confirmations are enough for sixteen days, and no longer after seventeen."""
    assert (sure(confirmed(20).decayed(NOW + days * DAY)) >= LEAST) is is_learned


def test_a_new_observation_is_added_to_what_is_left_of_the_old_ones() -> None:
    """Old counts decay before a confirmation, or a contradiction, is added."""
    later, old = NOW + 7 * DAY, replace(NEW, confirmed=8.0, contradicted=2.0)
    assert old.confirm("x", later).confirmed == 5.0
    assert old.contradict(later).contradicted == 2.0


def test_one_conversation_counts_once() -> None:
    """A conversation that confirms a repair again proves nothing new, but a probe is not due so soon."""
    again = confirmed(3).confirm("0", NOW + 60)
    assert again.confirmed == pytest.approx(3, abs=0.001)
    assert (again.probed_at, again.since) == (NOW + 60, NOW)


def test_only_the_newest_sixteen_conversations_are_kept() -> None:
    """A conversation that confirms the repair again is among the newest."""
    held = confirmed(16).confirm("0", NOW).confirm("new", NOW)
    names = [name for name, _ in held.conversations]
    assert names == [*(str(number) for number in range(2, 16)), "0", "new"]
    assert held.confirmed == 17


@pytest.mark.parametrize(
    ("conversation", "after_s", "is_enough"),
    [("0", 0, True), ("0", 3_599, True), ("0", 3_600, False), ("other", 0, False)],
)
def test_own_confirmation_of_a_conversation_counts_for_an_hour(
    conversation: str, after_s: float, is_enough: bool
) -> None:
    held = confirmed(1)
    assert held.confirmed_by(conversation, NOW + after_s) is is_enough
    assert held.contradict(NOW).confirmed_by(conversation, NOW + after_s) is is_enough
    assert not held.contradict(NOW).contradict(NOW).confirmed_by(conversation, NOW + after_s)


@pytest.mark.parametrize(
    ("between", "is_dropped"),
    [
        ([], True),
        ([lambda held: held.confirm("new", NOW)], False),
        ([lambda held: held.confirm("0", NOW)], False),
        ([lambda held: held.confirm_probe(NOW)], False),
    ],
)
def test_second_contradiction_in_a_row_drops_all_evidence(between: list[Step], is_dropped: bool) -> None:
    """The steps *between* two contradictions decide. A client that dropped a repair goes by its own evidence alone."""
    held = confirmed(100).contradict(NOW)
    for step in between:
        held = step(held)
    held = held.contradict(NOW)
    assert (held == Evidence(at=NOW, probed_at=NOW, is_alone=True)) is is_dropped
    assert (held.confirmed >= 100 and not held.is_alone) is not is_dropped


def test_dropped_repair_may_be_learned_again_from_own_evidence() -> None:
    """The same conversations count anew, and the next single contradiction drops nothing."""
    held = confirmed(4).contradict(NOW).contradict(NOW)
    for number in range(4):
        held = held.confirm(str(number), NOW + 1)
    assert sure(held) >= LEAST
    assert (held.is_alone, held.since) == (True, NOW + 1)
    assert held.contradict(NOW + 1).confirmed == 4


@pytest.mark.parametrize(
    ("probes", "requests", "seconds"),
    [
        (0, 50, 3_600),
        (1, 100, 7_200),
        (2, 200, 14_400),
        (3, 400, 28_800),
        (4, 800, 57_600),
        (5, 1_000, 86_400),
        (50, 1_000, 86_400),
    ],
)
def test_interval_doubles_with_each_confirmed_probe(probes: int, requests: int, seconds: int) -> None:
    """One in *requests* requests is a probe, and one after *seconds*, whichever is first."""
    held = confirmed(4)
    for _ in range(probes):
        held = held.confirm_probe(NOW)
    assert not held.is_probe_due(requests - 2, since=NOW, now=NOW + seconds - 1)
    assert held.is_probe_due(requests - 1, since=NOW, now=NOW)
    assert held.is_probe_due(0, since=NOW, now=NOW + seconds)


def test_request_after_a_contradiction_is_a_probe() -> None:
    """A clear answer ends this, and the interval is the shortest again."""
    held = confirmed(20)
    for _ in range(5):
        held = held.confirm_probe(NOW)
    held = held.contradict(NOW)
    assert held.is_probe_due(0, since=NOW, now=NOW)
    assert sure(held) >= LEAST, "it is due because of the contradiction alone"
    held = held.confirm("new", NOW)
    assert [held.is_probe_due(sent, since=NOW, now=NOW) for sent in (48, 49)] == [False, True]


def test_every_clear_observation_begins_a_new_interval() -> None:
    """Its time is kept with the evidence, so that other processes do not probe again at once."""
    later = NOW + 60
    after = (NEW.confirm("a", later), NEW.confirm_probe(later), NEW.contradict(later))
    assert [held.probed_at for held in after] == [later] * 3


def test_clock_that_goes_back_changes_no_count() -> None:
    """A correction of the clock neither raises nor lowers what was counted before."""
    held = confirmed(4)
    assert held.decayed(NOW - DAY) == held
    back = held.confirm("new", NOW - DAY).contradict(NOW - DAY)
    assert (back.confirmed, back.contradicted) == (5, 1)
    assert back.decayed(NOW) == back


@pytest.mark.parametrize(("back_s", "is_due"), [(3_599, False), (3_600, True), (365 * DAY, True)])
def test_probe_is_due_where_the_clock_was_set_back_by_an_interval(back_s: float, is_due: bool) -> None:
    """A last probe in the far future must not end all probes by time. Clocks of machines differ by less."""
    assert confirmed(4).is_probe_due(0, since=NOW, now=NOW - back_s) is is_due


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["confirm", "confirm_probe", "contradict"]),
            st.integers(0, 20),
            st.floats(-1e9, 2e9),
        ),
        max_size=60,
    )
)
def test_any_sequence_keeps_the_evidence_in_its_bounds(steps: list[tuple[str, int, float]]) -> None:
    """For any observations, at any times in any order."""
    held, confirmations, contradictions = NEW, 0, 0
    for what, conversation, now in steps:
        if what == "confirm":
            held, confirmations = held.confirm(str(conversation), now), confirmations + 1
        elif what == "confirm_probe":
            held = held.confirm_probe(now)
        else:
            held, contradictions = held.contradict(now), contradictions + 1
        assert 0 <= held.confirmed <= confirmations
        assert 0 <= held.contradicted <= contradictions
        assert 0 <= sure(held) <= 1
        assert held.doublings <= 5
        assert held.contradictions_in_a_row <= 1
        assert len(held.conversations) == len(dict(held.conversations)) <= 16
