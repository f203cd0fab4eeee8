"""Tests of Anthropic's judge with requests of native clients, their API versions and their betas."""

from __future__ import annotations

import pytest

from tests.support.anthropic_emulator import judge_anthropic
from tests.support.anthropic_emulator.terms import Terms, judge_headers, terms_of
from tests.support_tests.anthropic_native_cases import ACCEPTED, REFUSED

KEY = {"x-api-key": "k", "anthropic-version": "2023-06-01"}


@pytest.mark.parametrize("case", REFUSED)
def test_the_fault_of_a_native_request_is_named(case: str) -> None:
    """The refusal of a broken rule has Anthropic's text."""
    asked, terms, words = REFUSED[case]

    refusal = judge_anthropic(asked, terms)

    assert refusal is not None
    assert (refusal.message, refusal.status) == (words, 400)


@pytest.mark.parametrize("case", ACCEPTED)
def test_native_requests_are_accepted(case: str) -> None:
    """The judge accepts what Anthropic accepts."""
    asked, terms = ACCEPTED[case]

    assert judge_anthropic(asked, terms) is None


@pytest.mark.parametrize(
    ("headers", "words", "status"),
    [
        (
            {"anthropic-version": "2024-01-01"},
            'anthropic-version: "2024-01-01" is not a valid version. Supported versions: 2023-06-01, 2026-10-21',
            400,
        ),
        (
            {"anthropic-beta": "effort-2025-11-24, nonsense-2026-01-01"},
            "Unexpected value(s) `nonsense-2026-01-01` for the `anthropic-beta` header",
            400,
        ),
        ({"content-length": "33554433"}, "Request exceeds the maximum size", 413),
    ],
)
def test_headers_of_native_clients_are_judged(headers: dict[str, str], words: str, status: int) -> None:
    """An unknown version, an unknown beta and a body that is too large are refused."""
    refusal = judge_headers({**KEY, **headers})

    assert refusal is not None
    assert (refusal.message, refusal.status) == (words, status)


def test_terms_are_read_from_the_headers() -> None:
    """The betas lose their dates, in both forms of them."""
    headers = {"Anthropic-Version": "2026-10-21", "Anthropic-Beta": "claude-code-20250219,effort-2025-11-24"}

    assert judge_headers({**KEY, **headers}) is None
    assert terms_of(headers) == Terms("2026-10-21", frozenset({"claude-code", "effort"}))


def test_a_request_for_a_count_has_no_max_tokens() -> None:
    """A request for a count is complete without ``max_tokens``, and may not have it."""
    asked = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": "Hello."}]}

    refusal = judge_anthropic({**asked, "max_tokens": 5}, is_counted=True)

    assert judge_anthropic(asked, is_counted=True) is None
    assert refusal is not None
    assert refusal.message == "max_tokens: Extra inputs are not permitted"
