"""Tests of the sentences with the facts of single requests."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.inspector.facts_in_words import facts_in_words

REPAIR = {
    "fault": "parameter",
    "feature": "temperature",
    "confidence": 0.7123,
    "confirmed": 4.0,
    "contradicted": 0.5,
    "since": "2026-11-24T06:00:00Z",
    "scope": "deployment",
}


def levels(*, whole: bool) -> dict[str, Any]:
    """Return the description of instructions whose general text is *whole*."""
    listed = [
        {"level": "gateway", "bytes": 32_000, "whole": whole},
        {"level": "team", "bytes": 18, "whole": True},
    ]
    return {"instructions": {"bytes": 32_020, "digest": "1a2b3c4d5e6f", "levels": listed, "text": "secret"}}


@pytest.mark.parametrize(
    ("described", "more"),
    [
        (levels(whole=True), ""),
        (levels(whole=False), " The gateway's text was cut, since all texts were too long together."),
    ],
)
def test_instructions_are_told_without_their_text(described: dict[str, Any], more: str) -> None:
    """The sentence has the length of each level. A text that was cut is named."""
    assert facts_in_words("instructions", described) == (
        f"They have 32,020 bytes (32,000 of the gateway, 18 of the team) and the digest 1a2b3c4d5e6f.{more}"
    )


def test_learned_repairs_are_told_with_their_age_and_their_confidence() -> None:
    """A repair without a feature is named by its fault alone."""
    described = {"learned": [REPAIR, REPAIR | {"fault": "tail", "feature": "", "scope": "conversation"}]}

    assert facts_in_words("repair", described) == (
        "Learned for this model: parameter temperature, since 2026-11-24, 06:00 UTC, with a confidence of 0.71 "
        "(4 for it, 0.5 against it). Learned in this conversation: tail, since 2026-11-24, 06:00 UTC, with a "
        "confidence of 0.71 (4 for it, 0.5 against it)."
    )


def test_other_steps_have_no_facts() -> None:
    """Their sentence is the same for every request."""
    assert facts_in_words("pairing", {}) == ""
