"""The checker's table of rules is complete, and OpenAI's profile lacks other providers' rules."""

from __future__ import annotations

import pytest

from sanitizers import find_violations
from sanitizers.invariants import RULES
from sanitizers.profiles import OPENAI
from tests.sanitizers import test_message_violations, test_turn_violations

EXAMPLES = [*test_message_violations.BROKEN, *test_turn_violations.BROKEN]


def test_every_rule_has_an_example() -> None:
    """Each rule has a history that breaks it."""
    assert set(RULES) == {broken.rule for broken in EXAMPLES}


@pytest.mark.parametrize(
    "rule",
    [
        "blank_result",
        "blank_text",
        "call_id_illegal",
        "developer_role",
        "many_systems",
        "parallel_calls",
        "reasoning_missing",
        "result_name_empty",
        "system_unsupported",
        "text_beside_calls",
        "trailing_space",
        "unknown_field",
        "user_after_result",
    ],
)
def test_openai_does_not_have_other_providers_rules(rule: str) -> None:
    """OpenAI's profile accepts the histories that break only other providers' rules."""
    for broken in EXAMPLES:
        if broken.rule == rule:
            assert find_violations(broken.history, OPENAI) == ()
