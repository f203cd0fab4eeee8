"""Tests of the histories for the rules about one message."""

from __future__ import annotations

from proxy.planning.probe.message_histories import CALL_HISTORIES, CONTENT_HISTORIES, FIELD_HISTORIES
from sanitizers.invariants import RULES
from tests.proxy.planning.probe.proofs import forbidding, unproven


def test_every_history_breaks_its_rule_alone_under_some_profile() -> None:
    """Each history about one message breaks its rule alone under some profile.

    Rules that the checker lacks are skipped.
    """
    given = [*CONTENT_HISTORIES, *CALL_HISTORIES, *FIELD_HISTORIES]

    assert unproven([one for one in given if one.rule in RULES]) == []


def test_refused_fields_are_those_of_several_providers() -> None:
    """Gemini 2 forbids the history with a cache mark.

    OpenAI forbids the one with a signature, and Bedrock the one with reasoning.
    """
    marks, signature, thought = [one for one in FIELD_HISTORIES if one.rule == "refused_field"]

    assert "gemini-2" in forbidding(marks)
    assert "openai" in forbidding(signature) - forbidding(marks)
    assert "bedrock" in forbidding(thought) - forbidding(marks)
