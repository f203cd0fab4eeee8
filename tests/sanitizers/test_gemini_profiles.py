"""Tests the rules that differ among the profiles of Gemini's generations, each with a small history."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Profile, find_violations
from sanitizers.gemini_profiles import GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA
from tests.support.builders import assistant, system, user

GENERATIONS = (GEMINI_1, GEMINI_2, GEMINI_3, GEMINI_3_STRICT, GEMMA)

DIFFERENCES: dict[str, tuple[list[dict[str, Any]], set[Profile]]] = {
    "same_role_neighbours": ([user("a"), user("b")], {GEMINI_1}),
    "trailing_model_turn": ([user("a"), assistant("b")], {GEMINI_3_STRICT}),
    "system_unsupported": ([system("a"), user("b")], {GEMMA}),
    "first_turn_not_user": ([assistant("a"), user("b")], set(GENERATIONS)),
}
"""A history for each rule, with the names of the profiles that forbid the history."""


@pytest.mark.parametrize("profile", GENERATIONS, ids=lambda profile: profile.name)
@pytest.mark.parametrize("rule", DIFFERENCES)
def test_each_generation_has_its_own_rules(rule: str, profile: Profile) -> None:
    history, refusing = DIFFERENCES[rule]
    broken = {rule} if profile in refusing else set()

    assert {violation.rule for violation in find_violations(history, profile)} == broken
