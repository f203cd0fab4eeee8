"""Tests that ``cache_control`` marks for Anthropic's prompt cache reach Claude, and not Gemini and Mistral."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.process.asking import ask, body
from tests.process.providers import Everywhere

MARK = {"type": "ephemeral"}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": [{"type": "text", "text": "Rules of the house.", "cache_control": MARK}]},
    {"role": "user", "content": [{"type": "text", "text": "Go on.", "cache_control": MARK}]},
]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-6"])
def test_marks_reach_claude(http: httpx.Client, everywhere: Everywhere, model: str, stream: bool) -> None:
    """The marks on the system's and the user's text reach Claude, and the proxy reports no change."""
    provider = everywhere.of(model)

    answer = ask(http, everywhere.served, body(model, HISTORY, stream=stream))

    [sent] = provider.sent()
    assert (answer.status, sent.status) == (200, 200)
    assert sent.body["system"][0]["cache_control"] == MARK
    assert sent.body["messages"][0]["content"][0]["cache_control"] == MARK
    assert "x-turnright-changes" not in answer.headers


@pytest.mark.parametrize(
    "model",
    ["gemini/gemini-3.6-flash", "mistral/mistral-large-latest", "litellm/mistral/mistral-large-latest"],
)
def test_marks_go_nowhere_else(http: httpx.Client, everywhere: Everywhere, model: str) -> None:
    """Gemini and Mistral get no marks, and the header ``x-turnright-changes`` reports their removal."""
    provider = everywhere.of(model)

    answer = ask(http, everywhere.served, body(model, HISTORY))

    [sent] = provider.sent()
    assert (answer.status, sent.status) == (200, 200)
    assert "cache_control" not in json.dumps(sent.body)
    assert answer.headers["x-turnright-changes"] == "shape=2"
