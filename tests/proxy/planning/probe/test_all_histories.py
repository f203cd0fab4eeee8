"""Tests that the probe has a history for each rule, and plain histories that break no rule."""

from __future__ import annotations

import pytest

from proxy.planning.probe.all_histories import BASELINES, HISTORIES
from sanitizers.invariants import RULES
from tests.proxy.planning.probe.proofs import forbidding


@pytest.mark.long
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_a_history_that_breaks_it_alone(rule: str) -> None:
    """Each rule of the checker has a history that breaks this rule alone under some profile."""
    own = [history for history in HISTORIES if history.rule == rule]

    assert own
    assert set().union(*map(forbidding, own))


def test_the_ids_of_histories_are_unique_but_for_spare_ones() -> None:
    ids = [history.id for history in HISTORIES if not history.spare]

    assert len(set(ids)) == len(ids)


def test_plain_histories_break_no_rule_of_any_profile() -> None:
    """Each plain history breaks no rule of any profile that it can be fitted to."""
    assert all(history.rule == "" and not forbidding(history) for history in BASELINES.values())
