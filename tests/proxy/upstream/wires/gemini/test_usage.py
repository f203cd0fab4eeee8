"""Tests that Gemini's token counts become OpenAI's usage."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body
from tests.proxy.upstream.wires.gemini.test_streams import read

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


@pytest.mark.parametrize(
    ("given", "details"),
    [
        (
            {
                "promptTokensDetails": [
                    {"modality": "TEXT", "tokenCount": 2},
                    {"modality": "AUDIO", "tokenCount": 3},
                ],
                "cachedContentTokenCount": 1,
            },
            {"prompt_tokens_details": {"cached_tokens": 1, "audio_tokens": 3}},
        ),
        (
            {"candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": "3"}], "thoughtsTokenCount": 0},
            {"completion_tokens_details": {"reasoning_tokens": 0, "image_tokens": 3}},
        ),
        (
            {"candidatesTokensDetails": [{"modality": "AUDIO", "tokenCount": 1}] * 2},
            {"completion_tokens_details": {"audio_tokens": 2}},
        ),
        ({"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 5}]}, {}),
        ({"promptTokensDetails": {"modality": "AUDIO"}, "candidatesTokensDetails": None}, {}),
        (
            {"promptTokensDetails": [None, {"modality": ["AUDIO"]}, {"modality": "AUDIO", "tokenCount": -1}]},
            {},
        ),
    ],
)
def test_tokens_with_prices_of_their_own_are_counted_apart(given: Any, details: Any) -> None:
    """Sounds in the prompt, and sounds and images in the answer (ai.google.dev, pricing)."""
    answer = read_answer(body({"text": "a"}, usageMetadata={**COUNTS, **given}), model="m")

    assert answer["usage"] == {**USAGE, **details}


@pytest.mark.parametrize(
    ("metadata", "tier"),
    [
        ({"serviceTier": "priority"}, "priority"),
        ({"serviceTier": "flex"}, "flex"),
        ({"trafficType": "ON_DEMAND_PRIORITY"}, "priority"),
        ({"trafficType": "ON_DEMAND_FLEX"}, "flex"),
        ({"trafficType": "ON_DEMAND"}, None),
        ({"serviceTier": "standard"}, None),
        ({"serviceTier": 5}, None),
    ],
)
def test_a_tier_with_prices_of_its_own_is_named(metadata: Any, tier: str | None) -> None:
    """In a stream the chunk with the usage names it."""
    metadata = {**COUNTS, **metadata}

    assert read_answer(body({"text": "a"}, usageMetadata=metadata), model="m").get("service_tier") == tier
    assert read(body({"text": "a"}, usageMetadata=metadata))[-1].get("service_tier") == tier
