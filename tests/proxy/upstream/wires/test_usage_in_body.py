"""Tests that the usage of an answer that is no use otherwise is found, whoever sent it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.upstream.wires.usage_in_body import usage_in_body

FOUND: dict[str, tuple[dict[str, Any], tuple[int, int]]] = {
    "OpenAI": ({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}, (7, 3)),
    "Responses": ({"object": "response", "usage": {"input_tokens": 7, "output_tokens": 3}}, (7, 3)),
    "Anthropic": (
        {"type": "message", "usage": {"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 3}},
        (12, 3),
    ),
    "Gemini": ({"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3}}, (7, 3)),
}


@pytest.mark.parametrize(("answer", "counts"), FOUND.values(), ids=FOUND)
def test_usage_is_read_as_that_of_a_chat(answer: dict[str, Any], counts: tuple[int, int]) -> None:
    """Anthropic counts the uncached prompt alone, and a chat the whole prompt."""
    usage = usage_in_body(json.dumps(answer).encode())
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == counts


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"7",
        b'{"usage": 7}',
        b'{"usage": null}',
        b'{"usageMetadata": []}',
        b'{"usage": {',
    ],
)
def test_body_without_usage_has_none(body: bytes) -> None:
    assert usage_in_body(body) == {}
