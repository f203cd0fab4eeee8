"""Tests of the measurement with hostile errors: nothing is learned from quotations, and a wrong decision is seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.learned import hostile_errors
from benchmarks.learned.hostile_errors import goals, measure
from proxy.planning.learned import features, name_repairs, repair_in_advance
from proxy.planning.plan import Plan
from proxy.state.repairs import learned_repairs
from tests.support.builders import user

ERRORS = range(300)


def missed(counts: Counter[str]) -> list[str]:
    """Return the missed goals, in words."""
    return [words for words, is_met in goals(counts) if not is_met]


def test_hostile_errors_teach_nothing_that_the_provider_does_not_say() -> None:
    """No other model, parameter or schema, no other user text, and no repair that only a quotation asks for."""
    assert missed(measure(ERRORS)) == []


def all_phrases(fault: str, error: Any, request: Any) -> Sequence[str]:
    """Take every phrase for the provider's own."""
    return [error.words]


def has_any_parameter(feature: str, parameters: Any) -> bool:
    """Take every value of a parameter for the refused one."""
    return feature.partition("=")[0] in parameters


def with_another_text(plan: Plan, learned: Any) -> Plan:
    """Change a user's text in advance, which no repair does."""
    return replace(plan, messages=[user("another text"), *plan.messages[1:]]) if learned else plan


@pytest.mark.parametrize(
    ("module", "name", "wrong", "violation"),
    [
        (name_repairs, "_without_quotations", lambda row, error, own: error, "quotation"),
        (name_repairs, "own_phrases", all_phrases, "quotation"),
        (repair_in_advance, "has_parameter", has_any_parameter, "parameter"),
        (features, "_FEATURES", {}, "schema"),
        (learned_repairs, "identity_of", lambda deployment: "same", "model"),
        (hostile_errors, "repair_in_advance", with_another_text, "user text"),
    ],
)
def test_measurement_sees_a_wrong_decision(
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    wrong: Any,
    violation: str,
) -> None:
    """Each rule is taken out once."""
    monkeypatch.setattr(module, name, wrong)

    assert any(words.startswith(f"violations, {violation}") for words in missed(measure(ERRORS[:150])))


def test_measurement_that_finds_nothing_fails() -> None:
    """A violation can only be seen if some errors teach something."""
    assert len(missed(Counter(errors=300, taught=29, **{"changed in advance": 60}))) == 1
    assert missed(Counter(errors=300, taught=30, **{"changed in advance": 60})) == []
