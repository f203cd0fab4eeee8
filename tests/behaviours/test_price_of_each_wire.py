"""Tests that the counts of every provider's wire reach the price, whole and streamed, in each client's format.

The providers are sockets that answer with the usage that the real ones send. The costs are computed by hand, from the
prices in litellm's table (1.105.3) in dollars for a million tokens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import BOTH, KEY, Exchange, event, head, piece, providing, whole
from tests.support import native_gemini, native_messages, native_responses
from tests.support.builders import user
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied
from tests.support.scripted_upstream import STOP, answer, say

Json = dict[str, Any]
MESSAGES, RESPONSES = "/v1/messages", "/v1/responses"
GEMINI, GEMINI_STREAM = (
    f"/v1beta/models/{MODEL}:generateContent",
    f"/v1beta/models/{MODEL}:streamGenerateContent",
)


class Wire(NamedTuple):
    """A provider's wire: a deployment, the bytes of an answer, and its cost in 10⁻⁹ dollars."""

    model: str
    info: Json
    whole: bytes
    stream: bytes
    nano: int


def openai() -> Wire:
    """Return OpenAI's chats: cached tokens, in the tier that the answer names."""
    usage = {
        "prompt_tokens": 10_000,
        "completion_tokens": 1_000,
        "total_tokens": 11_000,
        "prompt_tokens_details": {"cached_tokens": 4_000, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
    }
    last = {**say(""), "choices": [], "usage": usage, "service_tier": "priority"}
    return Wire(
        "openai/gpt-4o",
        {},
        json.dumps({**answer("Hi."), "usage": usage, "service_tier": "priority"}).encode(),
        b"".join(map(event, (say("Hi."), STOP, last))) + b"data: [DONE]\n\n",
        25_500_000 + 8_500_000 + 17_000_000,  # 6,000 at 4.25, 4,000 at 2.125 and 1,000 at 17
    )


def responses() -> Wire:
    """Return OpenAI's Responses API: tokens that were read from a cache and written to one."""
    usage = {
        "input_tokens": 9_657,
        "input_tokens_details": {"cached_tokens": 100, "cache_write_tokens": 9_500},
        "output_tokens": 78,
        "output_tokens_details": {"reasoning_tokens": 37},
        "total_tokens": 9_735,
    }
    items = [native_responses.MESSAGE]
    *events, end = native_responses.stream_of(items)
    events.append({**end, "response": {**end["response"], "usage": usage, "service_tier": "flex"}})
    return Wire(
        "openai/gpt-5.6",
        {"mode": "responses"},
        json.dumps(native_responses.response(items, usage=usage, service_tier="flex")).encode(),
        native_responses.write_stream(events),
        114_000 + 20_000 + 23_750_000 + 780_000,  # 57 at 2, 100 at 0.2, 9,500 at 2.5 and 78 at 10
    )


def anthropic() -> Wire:
    """Return Anthropic's Messages API: writes for five minutes and for an hour."""
    usage = {
        "input_tokens": 1_000,
        "cache_creation_input_tokens": 4_000,
        "cache_read_input_tokens": 5_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 2_500, "ephemeral_1h_input_tokens": 1_500},
        "output_tokens": 1_000,
        "service_tier": "standard",
    }
    told = native_messages.message([native_messages.TEXT], usage=usage)
    events = [
        {**one, "message": {**one["message"], "usage": {**usage, "output_tokens": 1}}}
        if one["type"] == "message_start"
        else one
        for one in native_messages.events_of(told)
    ]
    return Wire(
        "anthropic/claude-sonnet-4-5",
        {},
        json.dumps(told).encode(),
        b"".join(native_messages.write_events(iter(events))),
        3_000_000 + 9_375_000 + 9_000_000 + 1_500_000 + 15_000_000,
        # 1,000 at 3, 2,500 at 3.75, 1,500 at 6, 5,000 at 0.3 and 1,000 at 15
    )


def gemini() -> Wire:
    """Return Gemini's API: sounds, cached tokens and thoughts, in the tier that the usage names."""
    usage = {
        "promptTokenCount": 10_000,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 9_700},
            {"modality": "AUDIO", "tokenCount": 300},
        ],
        "cachedContentTokenCount": 100,
        "candidatesTokenCount": 200,
        "thoughtsTokenCount": 800,
        "totalTokenCount": 11_000,
        "serviceTier": "priority",
    }
    content = {"parts": [{"text": "Hi."}], "role": "model"}
    told = {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage,
        **native_gemini.HEAD,
    }
    return Wire(
        "gemini/gemini-2.5-flash",
        {},
        json.dumps(told).encode(),
        native_gemini.write_events(iter([told]))[0],
        5_184_000 + 540_000 + 5_400 + 4_500_000,  # 9,600 at 0.54, 300 at 1.8, 100 at 0.054 and 1,000 at 4.5
    )


WIRES = {made.__name__: made() for made in (openai, responses, anthropic, gemini)}
CLIENTS: dict[str, tuple[str, str, Json]] = {
    "chat": (CHAT, CHAT, chat()),
    "responses": (RESPONSES, RESPONSES, {"model": MODEL, "input": "Hello.", "store": False}),
    "messages": (MESSAGES, MESSAGES, {"model": MODEL, "max_tokens": 5, "messages": [user("Hello.")]}),
    "gemini": (GEMINI, GEMINI_STREAM, {"contents": [{"parts": [{"text": "Hello."}], "role": "user"}]}),
}


@asynccontextmanager
async def asked(wire: Wire) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of a provider that answers as *wire* does: with a stream where one is asked for."""

    async def script(exchange: Exchange) -> None:
        if b'"stream":true' in exchange.body or b"streamGenerateContent" in exchange.head:
            await exchange.send(head(), piece(wire.stream), piece(b""))
        else:
            await exchange.send(whole(wire.whole))

    async with providing(script) as provider, asyncio.timeout(60):
        entry = {"model": wire.model, "api_base": f"http://127.0.0.1:{provider.port}", "api_key": KEY}
        model = {"model_name": MODEL, "litellm_params": entry, "model_info": wire.info}
        config = {"model_list": [model], "router_settings": {"num_retries": 0}}
        settings = load_settings(json.dumps(config).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy


@BOTH
@pytest.mark.pairwise
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", WIRES)
async def test_every_count_that_has_a_price_reaches_it(name: str, client: str, stream: bool) -> None:
    wire = WIRES[name]
    whole_path, stream_path, body = CLIENTS[client]
    asks = {"stream": True} if stream and client != "gemini" else {}
    async with asked(wire) as proxy:
        reply = await proxy.post({**body, **asks}, stream_path if stream else whole_path)
        await proxy.idle()
        spent = await proxy.count("spend_usd_total", key="master", model=MODEL, exactness="exact")
        estimated = await proxy.count("spend_usd_total", exactness="estimated")

    assert reply.status == 200, reply.raw
    assert round(spent * 10**9) == wire.nano
    assert estimated == 0
    if not stream:
        assert round(float(reply.headers["x-turnright-cost"]) * 10**9) == wire.nano
