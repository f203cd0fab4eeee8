"""Tests of the size of a probe."""

from __future__ import annotations

from proxy.planning.probe.all_histories import BASELINES
from proxy.planning.probe.choose_cases import Cases, Expected, choose_cases
from proxy.planning.probe.count_tokens import MAX_ANSWER, count_tokens
from sanitizers.profile_names import PROFILES
from tests.proxy.planning.probe.replies import case_of


def test_every_request_counts_and_a_hidden_case_does_not() -> None:
    cases = (
        case_of("no_turn", Expected.EITHER),
        case_of("trailing_space", Expected.ACCEPTED),
        case_of("remote_media", Expected.EITHER, hidden="yes"),
    )
    size = count_tokens(Cases(cases, (BASELINES["text"],), ()), "openai/gpt-4.1")

    assert (size.requests, size.most_requests) == (3, 5)
    assert size.most_answer_tokens == 5 * MAX_ANSWER
    assert size.most_prompt_tokens * 3 == size.prompt_tokens * 5  # all five are the same request


def test_a_probe_is_small() -> None:
    """A probe of any profile takes 40 to 59 requests, and more than 1,000 and fewer than 10,000 tokens of prompts."""
    for profile in PROFILES.values():
        size = count_tokens(choose_cases(profile, ""), "openai/gpt-4.1")

        assert 40 <= size.requests < 60
        assert 1_000 < size.prompt_tokens < 10_000
