"""Tests of the histories for the rules about one message."""

from __future__ import annotations

from proxy.planning.probe.message_histories import CALL_HISTORIES, CONTENT_HISTORIES, FIELD_HISTORIES
from sanitizers.invariants import RULES
from tests.proxy.planning.probe.proofs import forbidding, unproven


def test_every_history_breaks_its_rule_alone_under_some_profile() -> None:
    """A rule that the checker does not have yet needs no proof."""
    given = [*CONTENT_HISTORIES, *CALL_HISTORIES, *FIELD_HISTORIES]

    assert unproven([one for one in given if one.rule in RULES]) == []


def test_refused_fields_are_those_of_several_providers() -> None:
    """Gemini refuses cache marks, all others a foreign signature, and Bedrock a foreign thought."""
    marks, signature, thought = [one for one in FIELD_HISTORIES if one.rule == "refused_field"]

    assert "gemini-2" in forbidding(marks)
    assert "openai" in forbidding(signature) - forbidding(marks)
    assert "bedrock" in forbidding(thought) - forbidding(marks)
