"""Tests of tool loops of Anthropic's Messages API against strict emulators of Gemini, OpenAI and Claude.

The client behaves like Claude Code: it streams, sends results in the order in which they were done, and sends back the
blocks that it got and nothing else. Every request must be legal for the provider.
"""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.emulator import serving as serving_gemini
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.anthropic_emulator import serving_anthropic
from tests.support.messages_grammar import find_message_faults, find_stream_faults, message_of
from tests.support.openai_emulator import serving_openai
from tests.support.proxied import Proxied, proxied, settings_of

PATH = "/v1/messages"
ROUNDS = 3
SCHEMA = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS = [{"name": name, "description": "d", "input_schema": SCHEMA} for name in ("f", "g")]
PIXEL = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
        "1f15c4890000000d49444154789c6360000002000001e221bc330000000049454e44ae426082"
    )
).decode()
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
FIELDS: dict[str, Any] = {
    "max_tokens": 64_000,
    "tools": TOOLS,
    "thinking": {"type": "adaptive"},
    "output_config": {"effort": "high"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "metadata": {"user_id": '{"device_id":"d"}'},
    "system": [
        {"type": "text", "text": "x-anthropic-billing-header: cc_version=2.1.197; cch=00a1b;"},
        {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
    ],
}
FIRST: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            {"type": "text", "text": "<system-reminder>Hi.</system-reminder>"},
            {"type": "text", "text": "Compare by f and g ."},
        ],
    },
    {"role": "system", "content": "Today is Monday."},
]
HEADERS = {
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "context-management-2025-06-27,mid-conversation-system-2026-04-07,effort-2025-11-24",
}
MODELS = {
    "gemini": "gemini/gemini-3.6-flash",
    "openai": "openai/gpt-4.1",
    "claude": "anthropic/claude-opus-4-8",
}


class Bases:
    """The addresses of the emulators by the name of the model."""

    def __init__(self, **bases: str) -> None:
        self.entries = {
            name: {"model": MODELS[name], "api_base": base, "api_key": "emulated"}
            for name, base in bases.items()
        }

    @asynccontextmanager
    async def proxied(self) -> AsyncIterator[Proxied]:
        """Serve a new proxy, which has an empty store."""
        settings = settings_of(self.entries)
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


@pytest.fixture
async def bases() -> AsyncIterator[Bases]:
    """Serve an emulator of each provider."""
    async with (
        serving_gemini() as gemini,
        serving_openai() as openai,
        serving_anthropic() as claude,
    ):
        yield Bases(
            gemini=f"{gemini}/v1beta", openai=openai.base_url, claude=claude.base_url.removesuffix("/v1")
        )


async def ask(
    proxy: Proxied, model: str, history: list[dict[str, Any]], *, stream: bool, **fields: Any
) -> dict[str, Any]:
    """Return the answer to *history*, which must follow the grammar."""
    body = {"model": model, "messages": history, "stream": stream, **FIELDS, **fields}
    reply = await proxy.post(body, f"{PATH}?beta=true", HEADERS)
    assert reply.status == 200, reply.raw
    relayed = model == "claude"
    if not stream:
        assert find_message_faults(reply.json, relayed=relayed) == []
        whole: dict[str, Any] = reply.json
        return whole
    assert find_stream_faults(reply.raw, relayed=relayed) == []
    return message_of(reply.raw)


def results_of(message: dict[str, Any], *, with_image: bool) -> dict[str, Any]:
    """Return the results of all calls, the last one first. One has failed, and one has an image."""
    calls = [block for block in message["content"] if block["type"] == "tool_use"]
    assert calls, message
    content = [{"type": "text", "text": "42"}, *([IMAGE] if with_image else [])]
    results = [
        {"type": "tool_result", "tool_use_id": call["id"], "content": content if at == 0 else "It failed."}
        | ({"is_error": True} if at else {})
        for at, call in enumerate(calls)
    ]
    return {"role": "user", "content": [*results[::-1], {"type": "text", "text": "Now f and g again."}]}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("model", MODELS)
async def test_loop_goes_through_with_a_new_proxy_for_each_round(
    bases: Bases, model: str, stream: bool
) -> None:
    """Nothing is stored between rounds, so that signatures come back by the client alone.

    OpenAI's emulator calls tools where the user speaks last.
    """
    history = list(FIRST if model != "openai" else FIRST[:1])
    for _ in range(ROUNDS):
        async with bases.proxied() as proxy:
            message = await ask(proxy, model, history, stream=stream)
        assert (message["model"], message["stop_reason"]) == (model, "tool_use")
        history += [
            {"role": "assistant", "content": message["content"]},
            results_of(message, with_image=model != "openai"),
        ]
    async with bases.proxied() as proxy:
        last = await ask(proxy, model, history, stream=stream, tool_choice={"type": "none"})

    assert last["stop_reason"] == "end_turn"
    assert [block["type"] for block in last["content"]][-1] == "text"


@pytest.mark.parametrize("stream", [False, True])
async def test_model_may_change_within_a_loop(bases: Bases, stream: bool) -> None:
    """A signature of one model never reaches another one."""
    history = list(FIRST)
    async with bases.proxied() as proxy:
        for model in ("gemini", "openai", "claude", "gemini", "claude", "openai"):
            message = await ask(proxy, model, history, stream=stream)
            history += [
                {"role": "assistant", "content": message["content"]},
                results_of(message, with_image=True),
            ]
