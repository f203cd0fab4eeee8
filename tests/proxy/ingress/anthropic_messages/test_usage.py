"""Tests of the token counts of an answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.anthropic_messages.usage import first_usage, write_usage


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, (10, 0, 0, 5)),
        (
            {"prompt_tokens": 10, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
            (6, 0, 4, 5),
        ),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
            },
            (3, 3, 4, 5),
        ),
        (
            {"prompt_tokens": 1, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}},
            (0, 0, 4, 5),
        ),
    ],
)
def test_input_counts_what_no_cache_served(usage: dict[str, Any], expected: tuple[int, ...]) -> None:
    assert tuple(write_usage(usage, 99, 99).values()) == expected


def test_thoughts_are_told_apart() -> None:
    details = {"reasoning_tokens": 4}
    found = write_usage(
        {"prompt_tokens": 1, "completion_tokens": 5, "completion_tokens_details": details}, 0, 0
    )

    assert found["output_tokens_details"] == {"thinking_tokens": 4}


def test_missing_usage_is_estimated() -> None:
    """The SDK for Python fails on a missing count."""
    assert tuple(write_usage(None, 40, 9).values()) == (40, 0, 0, 3)
    assert tuple(first_usage(0).values()) == (1, 0, 0, 0)
