"""What an answer cost: Gemini's counts in OpenAI's fields."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body


@pytest.mark.parametrize(
    ("metadata", "usage"),
    [
        (
            {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8},
            {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8},
        ),
        (
            {
                "promptTokenCount": 5,
                "candidatesTokenCount": 3,
                "thoughtsTokenCount": 2,
                "totalTokenCount": 10,
            },
            {
                "prompt_tokens": 5,
                "completion_tokens": 5,
                "total_tokens": 10,
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
        ),
        (
            {
                "promptTokenCount": 5,
                "candidatesTokenCount": 5,
                "thoughtsTokenCount": 2,
                "totalTokenCount": 10,
            },
            {
                "prompt_tokens": 5,
                "completion_tokens": 5,
                "total_tokens": 10,
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
        ),
        (
            {
                "promptTokenCount": 5,
                "toolUsePromptTokenCount": 1,
                "cachedContentTokenCount": 4,
                "candidatesTokenCount": 3,
                "totalTokenCount": 9,
            },
            {
                "prompt_tokens": 6,
                "completion_tokens": 3,
                "total_tokens": 9,
                "prompt_tokens_details": {"cached_tokens": 4},
            },
        ),
        ({"promptTokenCount": 5}, {"prompt_tokens": 5, "completion_tokens": 0, "total_tokens": 5}),
        ({"trafficType": "ON_DEMAND"}, None),
        (None, None),
    ],
)
def test_thoughts_count_once_as_completion(metadata: Any, usage: Any) -> None:
    """Thoughts count as completion, once; the total is Gemini's own."""
    extra = {} if metadata is None else {"usageMetadata": metadata}

    assert read_answer(body({"text": "a"}, **extra), model="m").get("usage") == usage
