"""Tests the situations of Open Responses' compliance runner on each upstream wire, against its schema.

They are a text, a stream, a system message, a call, a streamed call, an image and a history (openresponses,
`bin/compliance-test.ts`, read 2026-11).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.emulator import serving as serving_gemini
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.builders import PNG_URL
from tests.support.native_responses import MESSAGE, response
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import Proxied, proxied, settings_of
from tests.support.response_schema import RESPONSE, schema_faults
from tests.support.responses_emulator import serving_responses
from tests.support.responses_grammar import KEYS, events_of, find_stream_faults

WIRES = ("gemini", "openai", "responses", "azure")
TOOL = {
    "type": "function",
    "name": "get_weather",
    "description": "Tell the weather.",
    "parameters": {
        "type": "object",
        "properties": {"place": {"type": "string", "description": "A city."}},
        "required": ["place"],
    },
}


def said(role: str, content: Any) -> dict[str, Any]:
    """Return a message item."""
    return {"type": "message", "role": role, "content": content}


QUESTION = said("user", "Please call get_weather for Oslo.")
PICTURE = [{"type": "input_text", "text": "What is it?"}, {"type": "input_image", "image_url": PNG_URL}]

CASES: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "text": ([said("user", "Greet me in three words.")], {}, "message"),
    "streamed text": ([said("user", "Count to five.")], {"stream": True}, "message"),
    "system message": ([said("system", "Talk like a sailor."), said("user", "Greet me.")], {}, "message"),
    "call": ([QUESTION], {"tools": [TOOL]}, "function_call"),
    "streamed call": ([QUESTION], {"tools": [TOOL], "stream": True}, "function_call"),
    "image": ([said("user", PICTURE)], {}, "message"),
    "history": (
        [said("user", "I am Ada."), said("assistant", "Hello Ada."), said("user", "Who am I?")],
        {},
        "message",
    ),
}
"""The items, further fields, and the type of an item that the answer must have."""


@asynccontextmanager
async def everything() -> AsyncIterator[Proxied]:
    """Serve the proxy in front of an emulator of each wire."""
    async with serving_gemini() as gemini, serving_openai() as openai, serving_responses() as responses:
        origin = responses.base_url.removesuffix("/v1")
        dated = {"api_version": "2025-04-01-preview"}
        entries = {
            "gemini": {"model": "gemini/gemini-3.6-flash", "api_base": f"{gemini}/v1beta"},
            "openai": {"model": "openai/gpt-4.1", "api_base": openai.base_url},
            "responses": {"model": "xai/grok-4", "api_base": responses.base_url},
            "azure": {"model": "azure/gpt-4.1", "api_base": origin, **dated},
        }
        settings = settings_of({name: {**entry, "api_key": "emulated"} for name, entry in entries.items()})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


@pytest.mark.parametrize("wire", WIRES)
async def test_every_case_has_an_answer_of_the_schema(wire: str) -> None:
    async with everything() as proxy:
        for name, (items, fields, kind) in CASES.items():
            reply = await proxy.post({"model": wire, "input": items, **fields}, "/v1/responses")
            assert reply.status == 200, (name, reply.raw)
            if fields.get("stream"):
                assert find_stream_faults(reply.raw, sealed=wire != "responses") == [], name
                events = events_of(reply.raw)
                states = [event["response"] for event in events if "response" in event]
                assert [fault for state in states for fault in schema_faults(state)] == [], name
                answer = states[-1]
            else:
                answer = reply.json
            assert schema_faults(answer) == [], name
            assert answer["status"] == "completed", name
            assert kind in [item["type"] for item in answer["output"]], name


def test_schema_has_the_keys_of_the_grammar() -> None:
    assert set(RESPONSE["required"]) == KEYS


@pytest.mark.parametrize("key", sorted(KEYS))
async def test_schema_refuses_an_answer_without_a_key(key: str) -> None:
    whole = response([MESSAGE])

    assert schema_faults(whole) == []
    assert schema_faults({name: value for name, value in whole.items() if name != key}) != []
    assert schema_faults({**whole, key: [[]]}) != []
