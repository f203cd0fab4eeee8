"""Tests that strict servers accept, at the first try, the fields that SDKs and streams leave in a history.

Each emulator refuses what its provider refuses: mistral-common, Mistral's API, Cohere's types, a template that cannot
read null. The rules and their sources are listed in the emulators' code.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.support.anthropic_emulator import ANTHROPIC
from tests.support.builders import assistant, call, tool, user, without
from tests.support.chat_emulator import DEEPSEEK, MISTRAL, TEMPLATED
from tests.support.cohere_emulator import COHERE
from tests.support.emulated import Emulator, Wire
from tests.support.emulated.server import serving
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OPENAI
from tests.support.proxied import Proxied, proxied, settings_of

pytestmark = LITELLM_NOISE

ID = "abcdefgh1"
GO, RESULT = user("go"), tool(ID)
PARSED = {**call(ID), "function": {**call(ID)["function"], "parsed_arguments": None}}
BARE = {"type": "function", "function": {"name": "f"}}
NULLS = {"type": "function", "function": {"name": "f", "description": None, "parameters": None}}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


def round_of(asked: dict[str, Any], result: dict[str, Any] = RESULT) -> dict[str, Any]:
    """Return a request whose history has the call *asked* and its result."""
    return {"messages": [GO, assistant(calls=[asked]), result], "tools": TOOLS}


REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {"messages": [GO]},
    "calls": round_of(call(ID)),
    "a call without a type": round_of(without(call(ID), "type")),
    "a call of type null": round_of(call(ID, type=None)),
    "a place in a stream": round_of(call(ID, index=0)),
    "parsed arguments": round_of(PARSED),
    "an empty name": round_of(call(ID), tool(ID, name="")),
    "a refusal in a result": round_of(call(ID), tool(ID, [{"type": "refusal", "refusal": "no"}])),
    "a user's name": {"messages": [user("go", name="bob")]},
    "the model's turn last": {"messages": [GO, assistant("Well")]},
    "a bare declaration": {"messages": [GO], "tools": [BARE]},
    "a declaration of nulls": {"messages": [GO], "tools": [NULLS]},
    "parameters": {"messages": [GO], "seed": 7, "logit_bias": {"1": 1}, "max_completion_tokens": 9},
}


@dataclass(frozen=True, slots=True)
class Server:
    """A provider: its emulator, its model, and the profile and transport of its entry in the model list."""

    wire: Wire
    model: str
    profile: str | None = None
    transport: str = "auto"


SERVERS = {
    "mistral": Server(MISTRAL, "mistral/mistral-large-latest"),
    "mistral through litellm": Server(MISTRAL, "mistral/mistral-large-latest", transport="litellm"),
    "mistral behind openai/": Server(MISTRAL, "openai/mistral-large-latest", "mistral"),
    "mistral behind openai/ by litellm": Server(
        MISTRAL, "openai/mistral-large-latest", "mistral", transport="litellm"
    ),
    "mistral-common behind vLLM": Server(TEMPLATED, "hosted_vllm/mistralai/Mistral-Small-3.2-24B"),
    "mistral-common behind vLLM, through litellm": Server(
        TEMPLATED, "hosted_vllm/mistralai/Mistral-Small-3.2-24B", transport="litellm"
    ),
    "mistral-common behind openai/": Server(
        TEMPLATED, "openai/mistralai/Mistral-Small-3.2-24B", "chat-template-mistral"
    ),
    "a template that cannot read null": Server(TEMPLATED, "hosted_vllm/Qwen/Qwen3-VL-8B"),
    "a template that cannot read null, through litellm": Server(
        TEMPLATED, "hosted_vllm/Qwen/Qwen3-VL-8B", transport="litellm"
    ),
    "cohere": Server(COHERE, "cohere_chat/command-a-03-2025"),
    "deepseek behind openai/": Server(DEEPSEEK, "openai/deepseek-chat", "deepseek"),
    "openai": Server(OPENAI, "openai/gpt-4.1"),
    "anthropic": Server(ANTHROPIC, "anthropic/claude-opus-4-6"),
}


@asynccontextmanager
async def running(server: Server) -> AsyncIterator[tuple[Proxied, Emulator]]:
    """Serve the proxy in front of one emulator, without retries."""
    async with serving(server.wire) as emulator:
        entry: dict[str, Any] = {
            "model_name": "m",
            "litellm_params": {"model": server.model, "api_base": emulator.base_url, "api_key": "k"},
            "transport": server.transport,
        }
        if server.profile is not None:
            entry["profile"] = server.profile
        settings = settings_of(model_list=[entry])
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as app:
            yield app, emulator


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("name", SERVERS)
async def test_strict_server_takes_each_request_at_the_first_try(name: str, stream: bool) -> None:
    """For each request the emulator gets one request and refuses none, and the client gets status 200."""
    async with running(SERVERS[name]) as (app, emulator):
        for label, request in REQUESTS.items():
            emulator.clear()

            reply = await app.post({"model": "m", "stream": stream, **request})

            refused = [record.refusal.message for record in emulator.requests if record.refusal]
            assert refused == [], label
            assert (reply.status, len(emulator.requests)) == (200, 1), label


@pytest.mark.parametrize(
    "name", [name for name in SERVERS if name.startswith("mistral") and not name.endswith("by litellm")]
)
async def test_client_gets_the_usage_that_it_asks_for(name: str) -> None:
    """A client that asks for usage gets one event with it.

    Mistral reports a stream's usage unasked, other servers only on request.

    For models ``openai/…``, litellm passes no usage on that it did not ask for.
    """
    async with running(SERVERS[name]) as (app, _):
        options = {"stream": True, "stream_options": {"include_usage": True}}
        reply = await app.post({"model": "m", "messages": [GO], **options})

    used = [event["usage"] for event in reply.events[:-1] if event.get("usage")]
    assert reply.status == 200
    assert len(used) == 1
    assert used[0]["prompt_tokens"] > 0


async def test_refusal_in_a_list_of_details_is_readable() -> None:
    """If a server refuses a field in a list of details, the client's error tells the refusal and the field's path."""
    async with running(Server(MISTRAL, "openai/mistral-large-latest")) as (app, _):
        reply = await app.post({"model": "m", "messages": [GO], "logit_bias": {"1": 1}})

    assert reply.status == 422
    assert reply.error["message"] == "Extra inputs are not permitted (body.logit_bias)"


async def test_refused_usage_is_found_in_a_list_of_details() -> None:
    """A stream whose ``stream_options`` are refused is sent again without them. The next stream has none at once."""
    async with running(Server(MISTRAL, "openai/mistral-large-latest")) as (app, emulator):
        replies = [await app.post({"model": "m", "messages": [GO], "stream": True}) for _ in range(2)]

        asked = ["stream_options" in record.body for record in emulator.requests]
    assert [reply.status for reply in replies] == [200, 200]
    assert asked == [True, False, False]
