"""Tests of Anthropic's token counts under the names of a chat."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.anthropic.usage import merge_usage, read_usage


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({}, None),
        ({"input_tokens": "3"}, None),
        (
            {"input_tokens": 3, "output_tokens": 2},
            {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        ),
        (
            {"output_tokens": 2, "input_tokens": None},
            {"prompt_tokens": 0, "completion_tokens": 2, "total_tokens": 2},
        ),
        (
            {
                "input_tokens": 3,
                "cache_creation_input_tokens": 10,
                "cache_read_input_tokens": 100,
                "output_tokens": 2,
                "output_tokens_details": {"thinking_tokens": 1},
            },
            {
                "prompt_tokens": 113,
                "completion_tokens": 2,
                "total_tokens": 115,
                "prompt_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 10},
                "cache_creation_input_tokens": 10,
                "cache_read_input_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 1},
            },
        ),
        (
            {
                "input_tokens": 0,
                "cache_creation_input_tokens": 10,
                "cache_creation": {"ephemeral_5m_input_tokens": 6, "ephemeral_1h_input_tokens": 4},
                "output_tokens": 0,
            },
            {
                "prompt_tokens": 10,
                "completion_tokens": 0,
                "total_tokens": 10,
                "prompt_tokens_details": {
                    "cached_tokens": 0,
                    "cache_write_tokens": 10,
                    "cache_write_1h_tokens": 4,
                },
                "cache_creation_input_tokens": 10,
                "cache_read_input_tokens": 0,
            },
        ),
        (
            {"input_tokens": 3, "output_tokens": 2, "cache_read_input_tokens": 0},
            {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
        ),
    ],
)
def test_prompt_is_all_of_the_input(usage: dict[str, Any], counts: dict[str, Any] | None) -> None:
    """Anthropic counts what came from the cache apart, and a chat does not."""
    assert read_usage(usage) == counts


def test_later_counts_replace_earlier_ones() -> None:
    """A null says nothing, and neither does a value that is no object."""
    first = merge_usage({}, {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": 5})
    assert merge_usage(first, {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": None}) == {
        "input_tokens": 9,
        "output_tokens": 4,
        "cache_read_input_tokens": 5,
    }
    assert merge_usage(first, None) is first
