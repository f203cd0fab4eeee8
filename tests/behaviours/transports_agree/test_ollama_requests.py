"""Tests that Ollama gets the same from both transports, though litellm speaks Ollama's own API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.behaviours.transports_agree.requests import REQUESTS, SCHEMA, STREAMED
from tests.behaviours.transports_agree.sending import TRANSPORTS, sending
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = [*LITELLM_NOISE, pytest.mark.usefixtures("litellm")]

MODEL = "ollama_chat/some-model"


def of_own_api(body: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a body of ``/api/chat``."""
    rest = {
        name: value for name, value in body.items() if name not in ("format", "messages", "options", "think")
    }
    options = {**body["options"]}
    facts = {**rest, "messages": [_message(message) for message in body["messages"]]}
    if "num_predict" in options:
        facts["limit"] = options.pop("num_predict")
    if "format" in body:
        facts["format"] = body["format"]
    if "think" in body:
        facts["effort"] = "high" if body["think"] else "none"
    return {**facts, **options}


def of_openai_s(body: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a body of ``/v1/chat/completions``."""
    facts = {**body, "messages": [_message(message) for message in body["messages"]]}
    facts.setdefault("stream", False)
    facts.pop("stream_options", None)
    for name, fact in {
        "max_tokens": "limit",
        "max_completion_tokens": "limit",
        "reasoning_effort": "effort",
        "response_format": "format",
    }.items():
        if name in facts:
            facts[fact] = facts.pop(name)
    if "format" in facts:
        facts["format"] = "json" if facts["format"]["type"] == "json_object" else SCHEMA
    return facts


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """Return the facts of a message: what was said, and by whom."""
    content: Any = message.get("content") or ""
    parts: list[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    images = [part["image_url"]["url"].partition(",")[2] for part in parts if part["type"] == "image_url"]
    return {
        "role": message["role"],
        "text": "".join(part.get("text", "") for part in parts),
        "images": message.get("images") or images,
        "thought": message.get("thinking") or message.get("reasoning_content"),
        "result of": message.get("tool_call_id"),
        "calls": [_call(call["function"]) for call in message.get("tool_calls") or ()],
    }


def _call(function: dict[str, Any]) -> tuple[str, Any]:
    arguments = function["arguments"]
    return function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments


LACKING = (
    *("logit_bias", "logprobs", "modalities", "n", "parallel_tool_calls", "prediction", "prompt_cache_key"),
    *("safety_identifier", "service_tier", "store", "top_logprobs", "user", "verbosity"),
)
"""Parameters that Ollama's own API lacks. The direct transport sends them, and Ollama ignores what it does not know."""


async def test_ollama_gets_the_same_facts() -> None:
    """Both transports send the same history, limit, format, effort and options, and the same tools.

    The direct transport leaves out ``top_k``, which Ollama's ``/v1`` does not have.
    """
    async with sending(MODEL) as sender:
        settings = {transport: sender.settings_of(MODEL, transport) for transport in TRANSPORTS}
        for name, stream in [*((name, False) for name in REQUESTS), *((name, True) for name in STREAMED)]:
            one, other = [
                await sender.send(settings[transport], transport, REQUESTS[name], stream=stream)
                for transport in ("litellm", "direct")
            ]
            if "refused" in one:
                assert one == other, name
                continue
            assert (one["url"], other["url"]) == ("/api/chat", "/v1/chat/completions")
            assert one["headers"]["authorization"] == other["headers"]["authorization"]
            facts = of_openai_s(other["body"])
            if "top_k" in REQUESTS[name]:
                assert "top_k" not in facts
                facts["top_k"] = REQUESTS[name]["top_k"]
            lacking = {field: facts.pop(field) for field in LACKING if field in facts}
            assert lacking == {
                field: REQUESTS[name][field] for field in LACKING if field in REQUESTS[name]
            }, name
            assert of_own_api(one["body"]) == facts, name
