"""Tests of the count of tokens."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.openai_responses.usage import read_usage

COUNTS = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        ({"input_tokens": 10, "output_tokens": 5, "total_tokens": 99}, COUNTS),
        (
            {
                "input_tokens": 10,
                "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
                "output_tokens": 5,
                "output_tokens_details": {"reasoning_tokens": 2},
            },
            {
                **COUNTS,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
        ),
        ({"input_tokens": 10, "output_tokens": 5, "input_tokens_details": None}, COUNTS),
        ({"input_tokens": True, "output_tokens": 5}, None),
        ({"input_tokens": 10}, None),
        (None, None),
        ([], None),
    ],
)
def test_usage_is_read_in_chats_form(usage: Any, read: Any) -> None:
    """The total is the sum, as everywhere. A count that is none is no usage."""
    assert read_usage(usage) == read
