"""Tests of the cases that test a profile."""

from __future__ import annotations

import pytest

from proxy.planning.probe.choose_cases import Expected, choose_cases
from sanitizers import find_violations
from sanitizers.invariants import RULES
from sanitizers.profile_names import PROFILES


@pytest.mark.parametrize("name", PROFILES)
def test_each_case_is_legal_or_illegal_by_exactly_its_rule(name: str) -> None:
    """A forbidden case breaks exactly its rule, and an allowed one breaks none.

    Every rule has a case or is named as untested. Plain histories break no rule.
    """
    profile = PROFILES[name]
    chosen = choose_cases(profile, "")

    for case in chosen.cases:
        broken = {violation.rule for violation in find_violations(case.history.messages, profile)}
        assert broken == ({case.history.rule} if case.forbidden else set())
    assert {case.history.rule for case in chosen.cases} | {*chosen.untested} == set(RULES)
    assert [find_violations(one.messages, profile) for one in chosen.baselines] == [()] * len(
        chosen.baselines
    )


def expected_of(name: str, upstream: str) -> dict[str, Expected]:
    """Return the expected outcome of each history by its id."""
    return {case.history.id: case.expected for case in choose_cases(PROFILES[name], upstream).cases}


def test_only_a_known_refusal_is_expected_as_one() -> None:
    """A refusal is expected only of a history in the table of known refusals.

    Another forbidden history may be accepted.
    """
    expected = expected_of("gemini-3-strict", "direct/gemini")

    assert expected["trailing_model_turn"] is Expected.REFUSED
    assert expected["system_after_start"] is Expected.EITHER
    assert expected["text_beside_calls"] is Expected.ACCEPTED


def test_reasoning_is_added_where_a_profile_wants_it_back() -> None:
    cases = {case.history.id: case for case in choose_cases(PROFILES["deepseek-thinking"], "").cases}
    turn, lacking = cases["trailing_model_turn"], cases["reasoning_missing"]

    assert turn.history.messages[-1]["reasoning_content"] == ""
    assert not turn.forbidden
    assert "reasoning_content" not in lacking.history.messages[1]
    assert lacking.forbidden


def test_no_history_with_images_is_sent_to_a_model_without() -> None:
    chosen = choose_cases(PROFILES["deepseek"], "")

    assert [history.id for history in chosen.baselines] == ["baseline-text", "baseline-tools"]
    assert "media_type" in chosen.untested


def test_an_address_that_the_transport_would_fetch_is_not_sent() -> None:
    chosen = choose_cases(PROFILES["gemini-2"], "direct/gemini")
    [remote] = [case for case in chosen.cases if case.history.rule == "remote_media"]

    assert remote.hidden
    assert remote not in chosen.sent


@pytest.mark.parametrize("name", ["gemini-2", "openai"])
def test_a_signature_in_an_id_is_not_sent(name: str) -> None:
    """The history with a signature in a call id has a reason not to be sent, and is not among the sent cases."""
    chosen = choose_cases(PROFILES[name], "")
    [signed] = [case for case in chosen.cases if case.history.rule == "signature_unreadable"]

    assert signed.hidden
    assert signed not in chosen.sent


def test_a_spare_history_is_sent_only_where_no_other_fits() -> None:
    """A spare history tests a rule only if the rule's other history fits no form of the profile, as for Mistral."""
    [openai] = [
        case for case in choose_cases(PROFILES["openai"], "").cases if case.history.rule == "legacy_function"
    ]
    [mistral] = [
        case for case in choose_cases(PROFILES["mistral"], "").cases if case.history.rule == "legacy_function"
    ]

    assert "name" in openai.history.messages[-1]
    assert "name" not in mistral.history.messages[-1]
