"""Tests that a legal history reaches OpenAI's emulator unchanged, with unknown fields and the order of keys."""

from __future__ import annotations

import json
from typing import Any

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.process.asking import OPENAI_MODEL, ask, body
from tests.process.running import Served
from tests.support.builders import assistant, call, tool, user
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.strategies import legal_histories


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    messages=legal_histories(allow_trailing_assistant=True, whitespace=True, extras=True),
    stream=st.booleans(),
)
def test_legal_history_arrives_as_it_was(
    http: httpx.Client,
    served: Served,
    openai_thread: OpenAIEmulator,
    transport: str,
    messages: list[Any],
    stream: bool,
) -> None:
    """The messages arrive with all fields in order, apart from nulls on litellm. The answer reports no change."""
    openai_thread.requests.clear()

    answer = ask(http, served, body(f"openai/{OPENAI_MODEL}", messages, stream=stream))

    assert answer.is_whole, answer.text
    assert "x-turnright-changes" not in answer.headers
    (record,) = openai_thread.requests
    sent = ordered(json.dumps(messages))
    assert dict(ordered(record.raw))["messages"] == (sent if transport == "direct" else without_nulls(sent))


def test_bytes_of_a_plain_history(
    http: httpx.Client, served: Served, openai_emulator: OpenAIEmulator, transport: str
) -> None:
    """On the direct transport, the provider gets the client's bytes of ``messages``.

    litellm rewrites the messages without spaces.
    """
    messages = [
        user("Grüße, 日本語 🙂 \u2028"),
        assistant(
            "calling", [call("call_1", "f", '{"a": 1.0, "b": "\\u00e9"}', x_signature="s")], x_note=[1, {}]
        ),
        tool("call_1", '{"big": 12345678901234567890}', x_cache={"kept": True}),
        user([{"type": "text", "text": "and?", "cache_control": {"type": "ephemeral"}}]),
    ]
    separators = (" , ", "  : ") if transport == "direct" else (",", ":")
    written = json.dumps(messages, ensure_ascii=False, separators=separators)
    request = f'{{"model": "openai/{OPENAI_MODEL}", "messages": {written}, "temperature": 0.5}}'

    answer = http.post(f"{served.origin}/v1/chat/completions", content=request.encode())

    assert answer.status_code == 200, answer.text
    assert written.encode() in openai_emulator.requests[0].raw


def ordered(text: str | bytes) -> Any:
    """Return JSON with its objects as tuples of pairs, so that the order of keys counts."""
    return json.loads(text, object_pairs_hook=tuple)


def without_nulls(messages: list[Any]) -> list[Any]:
    """Return *messages* without null fields. litellm leaves these out, and OpenAI treats both forms alike."""
    return [tuple((name, value) for name, value in message if value is not None) for message in messages]
