"""Tests of the histories for the rules about turns."""

from __future__ import annotations

from proxy.planning.probe.turn_histories import ORDER_HISTORIES, PAIRING_HISTORIES
from tests.proxy.planning.probe.proofs import forbidding, unproven


def test_every_history_breaks_its_rule_alone_under_some_profile() -> None:
    assert unproven([*ORDER_HISTORIES, *PAIRING_HISTORIES]) == []


def test_neighbours_of_each_role_have_a_history() -> None:
    """Gemini 2 allows two user messages in a row, and forbids two of the model. So the rule has a history for each."""
    first, second = [one for one in ORDER_HISTORIES if one.rule == "same_role_neighbours"]

    assert "gemini-2" not in forbidding(first)
    assert "gemini-2" in forbidding(second)
