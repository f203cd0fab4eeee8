"""Tests that requests in the style of real clients reach OpenAI unchanged, and Gemini with every text."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.process.asking import function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator

LONG = "Some eighty kilobytes of a file. " * 2_600


def parts(*texts: str) -> list[dict[str, str]]:
    """Return a message's content as a list of text parts."""
    return [{"type": "text", "text": text} for text in texts]


CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": '{"city": "Oslo"}'}}
HISTORY: list[dict[str, Any]] = [
    {"role": "system", "content": parts("one", "two")},
    {"role": "developer", "content": parts("three")},
    {"role": "user", "content": parts("four", "five")},
    {"role": "assistant", "content": parts("six"), "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": parts("seven", LONG)},
    {"role": "assistant", "content": parts("eight")},
    {"role": "user", "content": "nine"},
]
FIELDS: dict[str, Any] = {
    "tools": [function_tool("f")],
    "parallel_tool_calls": False,
    "prompt_cache_key": "session-1",
    "reasoning_effort": "low",
    "store": False,
    "max_completion_tokens": 900,
}


@pytest.mark.parametrize("stream", [False, True])
def test_clients_histories_reach_openai_unchanged(
    served: Served, openai_emulator: OpenAIEmulator, http: httpx.Client, transport: str, stream: bool
) -> None:
    """The direct transport sends OpenAI a client's history unchanged; litellm turns ``developer`` into ``system``."""
    options = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    body = {"model": "openai/gpt-4.1", "messages": HISTORY, **FIELDS, **options}

    answer = http.post(f"{served.base_url}/chat/completions", json=body)

    assert answer.status_code == 200, answer.text
    [request] = openai_emulator.requests
    sent = request.body
    roles = ["system", "system" if transport == "litellm" else "developer", *(m["role"] for m in HISTORY[2:])]
    assert [message["role"] for message in sent["messages"]] == roles
    assert [message["content"] for message in sent["messages"]] == [message["content"] for message in HISTORY]
    kept = (
        FIELDS
        if transport == "direct"
        else {name: FIELDS[name] for name in FIELDS if name != "reasoning_effort"}
    )
    assert {name: sent[name] for name in kept} == kept
    assert sent.get("stream_options") == options.get("stream_options")
    assert "x-turnright-changes" not in answer.headers


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", ["gemini/gemini-2.5-pro", "gemini/gemini-3.6-flash"])
def test_every_text_of_clients_histories_reaches_gemini(
    served: Served, gemini: Gemini, http: httpx.Client, model: str, stream: bool
) -> None:
    """Every text of a client's history reaches Gemini."""
    body = {"model": model, "messages": HISTORY, **FIELDS, "stream": stream}

    answer = http.post(f"{served.base_url}/chat/completions", json=body)

    assert answer.status_code == 200, answer.text
    [entry] = gemini.journal()
    arrived = str(entry["body"])
    for text in ("one", "two", "three", "four", "five", "six", "seven", LONG, "eight", "nine", "Oslo"):
        assert text in arrived
    assert "session-1" not in arrived


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_root_path_is_answered(served: Served, http: httpx.Client, method: str) -> None:
    """The root path is answered, since some clients ask for it first."""
    assert http.request(method, f"{served.origin}/").status_code == 200
