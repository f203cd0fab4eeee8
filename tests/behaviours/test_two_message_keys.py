"""Tests that nothing crosses between two clients of Claude's and Gemini's signatures, on a real socket.

Both clients say the same, and the provider gives both the same ids. Each gets back what it was given, and nothing that
the other was given.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import KEY, Exchange, providing, whole
from tests.support.native_messages import message
from tests.support.proxied import CHAT, Proxied, Reply, proxied
from tests.support.seen_requests import SeenRequests

MESSAGES = "/v1/messages"
CLIENTS = {"ann": "sk-ann-0123456789abcdef", "bob": "sk-bob-0123456789abcdef"}
MODELS = {
    "claude": ("anthropic/claude-opus-4-6", "127.0.0.1", ""),
    "gemini": ("gemini/gemini-3.6-flash", "127.0.0.1", "/v1beta"),
    "other gemini": ("gemini/gemini-3.6-flash", "localhost", "/v1beta"),
}
"""The model, the host and the path of each entry. Another host is another origin of signatures."""

SIGNED = {"ann": "c2lnbmF0dXJlIG9mIGFubg==", "bob": "c2lnbmF0dXJlIG9mIGJvYg=="}
"""The signature that the provider gives each of the clients."""

THINKS = {"thinking": {"type": "adaptive"}}
SCHEMA = {"type": "object", "properties": {}}
QUESTION = {"role": "user", "content": "Go."}
USE = {"type": "tool_use", "id": "toolu_same", "name": "f", "input": {}}


@asynccontextmanager
async def serving(*answers: Any, **fields: Any) -> AsyncIterator[tuple[Proxied, SeenRequests]]:
    """Serve both clients in front of a provider that gives each of *answers* once. *fields* are of each entry."""
    provider, left = SeenRequests(), list(answers)

    async def script(exchange: Exchange) -> None:
        provider.paths.append(exchange.head.split()[1].decode())
        provider.bodies.append(exchange.body)
        await exchange.send(whole(json.dumps(left.pop(0)).encode()))

    async with providing(script) as server, asyncio.timeout(60):
        entries = [
            {
                "model_name": name,
                "litellm_params": {
                    "model": model,
                    "api_key": KEY,
                    "api_base": f"http://{host}:{server.port}{path}",
                },
                "transport": "direct",
                **fields,
            }
            for name, (model, host, path) in MODELS.items()
        ]
        keys = [{"name": name, "key": key} for name, key in CLIENTS.items()]
        file = {
            "model_list": entries,
            "general_settings": {"keys": keys},
            "router_settings": {"num_retries": 0},
        }
        settings = load_settings(json.dumps(file).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            yield proxy, provider


async def ask(proxy: Proxied, client: str, model: str, messages: list[Any]) -> Reply:
    """Send messages of Anthropic's API with a client's key. Fails if the status is not 200."""
    tools = [{"name": "f", "input_schema": SCHEMA}]
    given = {"model": model, "max_tokens": 4_096, "messages": messages, "tools": tools, **THINKS}
    headers = {"x-api-key": CLIENTS[client], "anthropic-version": "2023-06-01"}
    reply = await proxy.post(given, MESSAGES, headers)
    assert reply.status == 200, reply.raw
    return reply


async def chat(proxy: Proxied, client: str, model: str, messages: list[Any], **fields: Any) -> Any:
    """Send a chat with a client's key, and return the message of its answer."""
    tools = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
    given = {"model": model, "messages": messages, "tools": tools, "reasoning_effort": "low", **fields}
    reply = await proxy.post(given, CHAT, {"Authorization": f"Bearer {CLIENTS[client]}"})
    assert reply.status == 200, reply.raw
    return reply.json["choices"][0]["message"]


def gemini_call(client: str) -> Any:
    """Return Gemini's answer with a signed call."""
    call = {"id": "same", "name": "f", "args": {}}
    parts = [{"functionCall": call, "thoughtSignature": SIGNED[client]}]
    return gemini_says(parts)


def gemini_says(parts: Any = ({"text": "Done."},)) -> Any:
    """Return Gemini's answer of *parts*."""
    usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}
    return {"candidates": [candidate], "usageMetadata": usage}


def thought_of(client: str) -> Mapping[str, Any]:
    """Return the thinking block that Claude gives a client."""
    return {"type": "thinking", "thinking": f"Think of {client}.", "signature": SIGNED[client]}


def claude_call(client: str) -> Any:
    """Return Claude's answer with a thought and a call."""
    return message([dict(thought_of(client)), USE], stop_reason="tool_use")


def claude_says(client: str) -> Any:
    """Return Claude's answer with a thought and a text that is the same for both clients."""
    return message([dict(thought_of(client)), {"type": "text", "text": "Done."}])


def results_for(content: Any) -> dict[str, Any]:
    """Return the user's message with the results of the calls in *content*."""
    calls = [block["id"] for block in content if block["type"] == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": call, "content": "ok"} for call in calls]
    return {"role": "user", "content": results}


def without_thinking(content: Any) -> list[Any]:
    """Return the blocks that a client keeps which drops thinking."""
    return [block for block in content if block["type"] != "thinking"]


def crosses(body: bytes, client: str) -> bool:
    """Return whether a body has anything of the other client's."""
    other = next(name for name in CLIENTS if name != client)
    return SIGNED[other].encode() in body or f"Think of {other}".encode() in body


@pytest.mark.parametrize("keeps", [True, False], ids=["thinking kept", "thinking dropped"])
async def test_signature_of_gemini_comes_back_to_its_own_client(keeps: bool) -> None:
    answers = [gemini_call("ann"), gemini_call("bob"), gemini_says(), gemini_says()]
    async with serving(*answers) as (proxy, provider):
        contents = {name: (await ask(proxy, name, "gemini", [QUESTION])).json["content"] for name in CLIENTS}
        for name, content in contents.items():
            said = content if keeps else without_thinking(content)
            history = [QUESTION, {"role": "assistant", "content": said}, results_for(content)]
            await ask(proxy, name, "gemini", history)

    assert {SIGNED["ann"].encode() in provider.bodies[2], SIGNED["bob"].encode() in provider.bodies[3]} == {
        True
    }
    assert not crosses(provider.bodies[2], "ann")
    assert not crosses(provider.bodies[3], "bob")


@pytest.mark.parametrize("model", MODELS)
async def test_envelope_of_another_client_is_never_opened(model: str) -> None:
    """Bob sends what Ann was given. No provider gets Ann's signature, and Claude gets no envelope."""
    answer = claude_says("bob") if model == "claude" else gemini_says()
    async with serving(gemini_call("ann"), answer) as (proxy, provider):
        content = (await ask(proxy, "ann", "gemini", [QUESTION])).json["content"]
        history = [QUESTION, {"role": "assistant", "content": content}, results_for(content)]
        await ask(proxy, "bob", model, history)

    assert any(block["type"] == "thinking" for block in content)
    assert not crosses(provider.bodies[1], "bob")
    assert b"tr1_" not in provider.bodies[1]


@pytest.mark.parametrize("client", CLIENTS)
async def test_envelope_gives_the_signature_after_a_restart_to_its_own_client(client: str) -> None:
    """The store is empty then, so that the envelope alone has the signature."""
    async with serving(gemini_call("ann"), gemini_says()) as (proxy, provider):
        content = (await ask(proxy, "ann", "gemini", [QUESTION])).json["content"]
        history = [QUESTION, {"role": "assistant", "content": content}, results_for(content)]
        settings = proxy.server.gateway.settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as restarted:
            await ask(restarted, client, "gemini", history)

    assert (SIGNED["ann"].encode() in provider.bodies[1]) == (client == "ann")


@pytest.mark.parametrize("model", ["claude", "other gemini"])
async def test_envelope_reaches_no_provider_that_did_not_make_it(model: str) -> None:
    """Ann asks another provider, with all that she was given."""
    answer = claude_says("bob") if model == "claude" else gemini_says()
    async with serving(gemini_call("ann"), answer) as (proxy, provider):
        content = (await ask(proxy, "ann", "gemini", [QUESTION])).json["content"]
        history = [QUESTION, {"role": "assistant", "content": content}, results_for(content)]
        await ask(proxy, "ann", model, history)

    assert SIGNED["ann"].encode() not in provider.bodies[1]
    assert b"tr1_" not in provider.bodies[1]


async def test_thinking_of_claude_reaches_no_other_provider() -> None:
    async with serving(claude_call("ann"), gemini_says()) as (proxy, provider):
        content = (await ask(proxy, "ann", "claude", [QUESTION])).json["content"]
        history = [QUESTION, {"role": "assistant", "content": content}, results_for(content)]
        await ask(proxy, "ann", "gemini", history)

    assert SIGNED["ann"].encode() not in provider.bodies[1]


def returned(said: Any) -> dict[str, Any]:
    """Return a message as a client of chats returns it that keeps no thinking."""
    return {name: said[name] for name in ("role", "content", "tool_calls") if said.get(name) is not None}


def rest_of(said: Any) -> list[dict[str, Any]]:
    """Return what follows a message in the next request: the results of its calls, or a question."""
    if not said.get("tool_calls"):
        return [{"role": "user", "content": "And?"}]
    return [{"role": "tool", "tool_call_id": call["id"], "content": "ok"} for call in said["tool_calls"]]


@pytest.mark.parametrize("says", [claude_call, claude_says], ids=["call", "text"])
async def test_thinking_comes_back_to_its_own_client(says: Any) -> None:
    """The clients keep no thinking, and their histories are equal but for ids of ours."""
    async with serving(says("ann"), says("bob"), claude_says("ann"), claude_says("bob")) as (proxy, provider):
        said = {name: await chat(proxy, name, "claude", [QUESTION]) for name in CLIENTS}
        for name, answer in said.items():
            await chat(proxy, name, "claude", [QUESTION, returned(answer), *rest_of(answer)])

    for name, body in zip(CLIENTS, provider.bodies[2:], strict=True):
        assert thought_of(name) in json.loads(body)["messages"][1]["content"]
        assert not crosses(body, name)


@pytest.mark.parametrize("says", [claude_call, claude_says], ids=["call", "text"])
async def test_history_of_another_client_gives_no_thinking(says: Any) -> None:
    """Bob sends Ann's history, with the ids that Ann was given."""
    async with serving(says("ann"), claude_says("bob")) as (proxy, provider):
        said = await chat(proxy, "ann", "claude", [QUESTION])
        await chat(proxy, "bob", "claude", [QUESTION, returned(said), *rest_of(said)])

    assert not crosses(provider.bodies[1], "bob")


async def test_equal_ids_in_two_conversations_of_one_client_do_not_cross() -> None:
    """The provider gives both calls one id. The thinking of the other conversation would be refused."""
    other = {"role": "user", "content": "Go elsewhere."}
    answers = [claude_call("ann"), claude_call("bob"), claude_says("ann"), claude_says("ann")]
    async with serving(*answers) as (proxy, provider):
        first = await chat(proxy, "ann", "claude", [QUESTION])
        second = await chat(proxy, "ann", "claude", [other])
        await chat(proxy, "ann", "claude", [QUESTION, returned(first), *rest_of(first)])
        await chat(proxy, "ann", "claude", [other, returned(second), *rest_of(second)])

    assert not crosses(provider.bodies[2], "ann")
    assert not crosses(provider.bodies[3], "bob")
    assert thought_of("ann") in json.loads(provider.bodies[2])["messages"][1]["content"]
    assert thought_of("bob") in json.loads(provider.bodies[3])["messages"][1]["content"]


FILE = {"type": "file", "file_id": "file_of_bob"}
HELD: dict[str, tuple[dict[str, Any], str]] = {
    "image": (
        {"messages": [{"role": "user", "content": [{"type": "image", "source": FILE}]}]},
        "messages.0.content.0",
    ),
    "document": (
        {"messages": [{"role": "user", "content": [{"type": "document", "source": FILE}]}]},
        "messages.0.content.0",
    ),
    "upload": (
        {"messages": [{"role": "user", "content": [{"type": "container_upload", "file_id": "file_of_bob"}]}]},
        "messages.0.content.0",
    ),
    "document in a result": (
        {
            "messages": [
                QUESTION,
                {"role": "assistant", "content": [USE]},
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": USE["id"],
                            "content": [{"type": "document", "source": FILE}],
                        }
                    ],
                },
            ]
        },
        "messages.2.content.0",
    ),
    "container": ({"messages": [QUESTION], "container": "container_of_bob"}, "container"),
    "thread": ({"messages": [QUESTION], "thread": {"id": "thread_of_bob"}}, "thread"),
    "workspace": ({"messages": [QUESTION], "workspace_id": "wrkspc_of_bob"}, "workspace_id"),
    "container with skills": (
        {"messages": [QUESTION], "container": {"id": "container_of_bob", "skills": []}},
        "container",
    ),
}
"""Requests that name an object at the provider, with the beginning of the refusal."""


@pytest.mark.parametrize("allowed", [False, True], ids=["not allowed", "allowed"])
@pytest.mark.parametrize("name", HELD)
async def test_object_at_the_provider_is_shared_only_where_the_operator_says_so(
    name: str, allowed: bool
) -> None:
    given, place = HELD[name]
    fields = {"provider_objects": True} if allowed else {}
    async with serving(claude_says("ann"), **fields) as (proxy, provider):
        body = {"model": "claude", "max_tokens": 64, **given}
        headers = {"x-api-key": CLIENTS["ann"], "anthropic-version": "2023-06-01"}
        reply = await proxy.post(body, MESSAGES, headers)

    if allowed:
        assert reply.status == 200, reply.raw
        assert {key: provider.asked[key] for key in given} == given
    else:
        assert (reply.status, provider.paths) == (400, [])
        error = reply.json["error"]
        assert error["type"] == "invalid_request_error"
        assert error["message"].startswith(place)
