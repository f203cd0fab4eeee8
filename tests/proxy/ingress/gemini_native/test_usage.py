"""Tests of the token counts of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.gemini_native.usage import write_usage

CACHED = {"prompt_tokens_details": {"cached_tokens": 6}}
THOUGHT = {"completion_tokens_details": {"reasoning_tokens": 4}}


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({}, {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}),
        (
            {**CACHED, **THOUGHT},
            {
                "promptTokenCount": 10,
                "cachedContentTokenCount": 6,
                "candidatesTokenCount": 1,
                "thoughtsTokenCount": 4,
                "totalTokenCount": 15,
            },
        ),
        (
            {"completion_tokens": 3, **THOUGHT},
            {
                "promptTokenCount": 10,
                "candidatesTokenCount": 0,
                "thoughtsTokenCount": 4,
                "totalTokenCount": 14,
            },
        ),
        ({"prompt_tokens": 0}, {"promptTokenCount": 1, "candidatesTokenCount": 5, "totalTokenCount": 6}),
        (
            {"prompt_tokens_details": {"cached_tokens": 99}},
            {
                "promptTokenCount": 10,
                "cachedContentTokenCount": 10,
                "candidatesTokenCount": 5,
                "totalTokenCount": 15,
            },
        ),
    ],
)
def test_counts_are_geminis_and_add_up(usage: dict[str, Any], expected: dict[str, int]) -> None:
    """Candidates are counted without thoughts, the prompt with what is cached."""
    given = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, **usage}

    assert write_usage(given, 99, 99) == expected


def test_missing_counts_are_estimated() -> None:
    assert write_usage(None, 7, 9) == {
        "promptTokenCount": 7,
        "candidatesTokenCount": 3,
        "totalTokenCount": 10,
    }
    assert write_usage(None, 0, 0)["promptTokenCount"] == 1
