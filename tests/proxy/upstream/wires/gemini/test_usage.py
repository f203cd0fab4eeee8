"""Tests that Gemini's token counts become OpenAI's usage."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body

COUNTS = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}
THOUGHTS = {**COUNTS, "thoughtsTokenCount": 2, "totalTokenCount": 10}
USAGE = {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
WITH_THOUGHTS = {
    "prompt_tokens": 5,
    "completion_tokens": 5,
    "total_tokens": 10,
    "completion_tokens_details": {"reasoning_tokens": 2},
}


@pytest.mark.parametrize(
    ("metadata", "usage"),
    [
        (COUNTS, USAGE),
        (THOUGHTS, WITH_THOUGHTS),
        ({**THOUGHTS, "candidatesTokenCount": 5}, WITH_THOUGHTS),
        (
            {**COUNTS, "toolUsePromptTokenCount": 1, "cachedContentTokenCount": 4},
            {**USAGE, "prompt_tokens": 6, "total_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}},
        ),
        ({"promptTokenCount": 5}, {**USAGE, "completion_tokens": 0, "total_tokens": 5}),
        ({"trafficType": "ON_DEMAND"}, None),
        (None, None),
    ],
)
def test_thoughts_count_once_as_completion(metadata: Any, usage: Any) -> None:
    """Some gateways count thoughts within the candidates' tokens. The total shows whether they do."""
    extra = {} if metadata is None else {"usageMetadata": metadata}

    assert read_answer(body({"text": "a"}, **extra), model="m").get("usage") == usage
