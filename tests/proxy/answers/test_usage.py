"""Tests that token counts are read alike as integers and as other numbers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.answers.usage import normalize_usage

COUNTS = st.integers(-2, 2**54) | st.sampled_from([0, 2**53 - 1, 2**53])


def fields(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for objects with some of *names* as keys, in any order."""
    return st.dictionaries(st.sampled_from(names), COUNTS)


@given(
    fields("prompt_tokens", "completion_tokens", "total_tokens", "cached_tokens", "cost"),
    fields("cached_tokens", "audio_tokens", "cost"),
    fields("reasoning_tokens", "audio_tokens", "rejected_prediction_tokens", "cost"),
)
def test_a_count_is_read_alike_as_a_whole_number_and_as_a_float(
    counts: dict[str, Any], prompt: dict[str, Any], completion: dict[str, Any]
) -> None:
    """Integer counts, which take a fast path, are read like equal floats."""

    def floats(given: dict[str, Any]) -> dict[str, Any]:
        return {name: float(count) for name, count in given.items()}

    def usage(*given: dict[str, Any]) -> dict[str, Any]:
        return {**given[0], "prompt_tokens_details": given[1], "completion_tokens_details": given[2]}

    found = normalize_usage(usage(counts, prompt, completion))

    assert repr(found) == repr(normalize_usage(usage(*map(floats, (counts, prompt, completion)))))


@pytest.mark.parametrize(("completion", "total"), [(5, 21), (12, 21)], ids=["beside", "within"])
def test_reasoning_is_counted_once(completion: int, total: int) -> None:
    """In usage of xAI, they stand beside the tokens of the answer. The total shows that."""
    details = {"reasoning_tokens": 7}
    given = {"prompt_tokens": 9, "completion_tokens": completion, "total_tokens": total}

    assert normalize_usage({**given, "completion_tokens_details": details}) == {
        "prompt_tokens": 9,
        "completion_tokens": 12,
        "total_tokens": 21,
        "completion_tokens_details": details,
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"cached_tokens": 2, "cache_write_tokens": 5}, {"cached_tokens": 2, "cache_write_tokens": 5}),
        (
            {"cache_write_tokens": 5, "cache_write_1h_tokens": 3},
            {"cache_write_tokens": 5, "cache_write_1h_tokens": 3},
        ),
        (  # litellm's usage of an answer of Claude (1.105.3)
            {
                "cached_tokens": 2,
                "cache_write_tokens": 5,
                "cache_creation_tokens": 5,
                "cache_creation_token_details": {
                    "ephemeral_5m_input_tokens": 1,
                    "ephemeral_1h_input_tokens": 4,
                },
            },
            {"cached_tokens": 2, "cache_write_tokens": 5, "cache_write_1h_tokens": 4},
        ),
        (
            {"cached_tokens": 2, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0}},
            {"cached_tokens": 2},
        ),
        ({"cached_tokens": 2, "cache_creation_token_details": None}, {"cached_tokens": 2}),
        (
            {"cached_tokens": 2, "cache_creation_token_details": {"ephemeral_1h_input_tokens": -1}},
            {"cached_tokens": 2},
        ),
    ],
)
def test_writes_to_a_cache_are_kept(given: dict[str, Any], expected: dict[str, int]) -> None:
    """They have prices of their own, and those that are kept for an hour have another one."""
    counts = {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10}

    assert normalize_usage({**counts, "prompt_tokens_details": given})["prompt_tokens_details"] == expected
