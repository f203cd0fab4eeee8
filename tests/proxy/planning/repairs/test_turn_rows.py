"""Tests of the repair table's rows for turns, with the words of several versions and servers."""

from __future__ import annotations

import pytest

from proxy.planning.repairs.turn_rows import TURN_ROWS
from tests.proxy.planning.repairs.asking import refusal


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("This model only supports single tool-calls at once! This model only supports...", "parallel_calls"),
        ("Jinja Exception: This model only supports single tool-calls at once!", "parallel_calls"),
        ("Assistant message must have either content or tool_calls, but not both.", "text_beside_calls"),
        ("Expected last role to be one of: [tool, user] but got assistant", "tail"),
        (
            "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant",
            "tail",
        ),
        ("Expected last role User or Tool (or Assistant with prefix) for serving but got assistant", "tail"),
        (
            "Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for "
            "serving but got assistant",
            "tail",
        ),
        ("Cannot set `add_generation_prompt` to True when the last message is from the assistant.", "tail"),
        ("Cannot set add_generation_prompt to True when the last message is from the assistant.", "tail"),
    ],
)
def test_words_of_every_version_lead_to_their_repair(words: str, fault: str) -> None:
    """One row fits each version's wording of a refusal, such as those of mistral-common 1.5, 1.8 and 1.13."""
    assert [row.fault for row in TURN_ROWS if row.fits(refusal(words))] == [fault]


def test_a_turn_that_holds_nothing_has_other_words_at_mistral() -> None:
    """No row fits Mistral's own "but not none", since a separation of texts from calls would not repair that fault."""
    words = "Assistant message must have either content or tool_calls, but not none."

    assert [row.fault for row in TURN_ROWS if row.fits(refusal(words))] == []
