"""Tests that both transports send OpenAI the same request, except for the differences listed here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.config import Settings
from proxy.upstream.select_transport import SelectingUpstream
from proxy.upstream.wires.openai import wire as openai_wire
from tests.support.builders import assistant, call, image, system, text, tool, user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import Proxied, proxied, settings_of

pytestmark = LITELLM_NOISE

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string", "description": "Where."}, "depth": {"type": "integer"}},
    "required": ["path"],
}
TOOLS = [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": SCHEMA}}]
ROUND = [user("go"), assistant("on it", calls=[call("c1", "read", '{"path": "/a"}')]), tool("c1", "found")]
STRICT = [{"type": "function", "function": {"name": "read", "parameters": SCHEMA, "strict": True}}]
FORMAT = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA, "strict": True}}
X = {"messages": [user("x")]}

REQUESTS: dict[str, dict[str, Any]] = {
    "plain": {"messages": [user("hello")]},
    "system": {"messages": [system("be brief"), user("hello"), assistant("hi"), user("again")]},
    "developer": {"messages": [{"role": "developer", "content": "be brief"}, user("hello")]},
    "names": {"messages": [user("hello", name="ann"), assistant("hi", name="bo"), user("again")]},
    "image": {"messages": [user([text("what?"), image()])]},
    "tools": {"messages": ROUND, "tools": TOOLS},
    "strict tool": {**X, "tools": STRICT},
    "tool choice required": {**X, "tools": TOOLS, "tool_choice": "required"},
    "tool choice by name": {
        **X,
        "tools": TOOLS,
        "tool_choice": {"type": "function", "function": {"name": "read"}},
    },
    "one call at a time": {**X, "tools": TOOLS, "parallel_tool_calls": False},
    "two results": {
        "messages": [
            user("go"),
            assistant(calls=[call("c1", "read", '{"path": "a"}'), call("c2", "read", '{"path": "b"}')]),
            tool("c1", "1"),
            tool("c2", [text("2")]),
            user("and?"),
        ],
        "tools": TOOLS,
    },
    "dangling call": {
        "messages": [user("go"), assistant(calls=[call("c1", "read")]), user("next")],
        "tools": TOOLS,
    },
    "unknown fields": {"messages": [user("x", x_extra={"a": 1})], "x_unknown": 1},
    "max_tokens": {**X, "max_tokens": 50},
    "max_completion_tokens": {**X, "max_completion_tokens": 50},
    "both limits": {**X, "max_tokens": 50, "max_completion_tokens": 60},
    "sampling": {**X, "temperature": 0.3, "top_p": 0.9, "seed": 7, "n": 2},
    "temperature of one": {**X, "temperature": 1},
    "penalties": {**X, "presence_penalty": 0.5, "frequency_penalty": 0.5, "logit_bias": {"50256": -100}},
    "logprobs": {**X, "logprobs": True, "top_logprobs": 2},
    "stop": {**X, "stop": ["END", "STOP"]},
    "json": {**X, "response_format": {"type": "json_object"}},
    "schema": {**X, "response_format": FORMAT},
    "effort": {**X, "reasoning_effort": "low", "verbosity": "low"},
    "no effort": {**X, "reasoning_effort": "none", "temperature": 0.3},
    "account": {
        **X,
        "user": "u1",
        "safety_identifier": "s1",
        "prompt_cache_key": "k",
        "service_tier": "flex",
    },
    "stored": {**X, "store": True},
    "modalities": {**X, "modalities": ["text"], "prediction": {"type": "content", "content": "x"}},
}

OPENAI = ("gpt-4o", "o3-mini", "o4-mini", "gpt-5", "gpt-5.1", "gpt-5-chat-latest")
"""Models served at the address that both transports take for OpenAI's own."""

COMPATIBLE = {"a local model": "local", "o3-mini elsewhere": "o3-mini"}
"""Models of another server that speaks OpenAI's wire format."""

MODELS = (*OPENAI, *COMPATIBLE)
O_SERIES = ("o3-mini", "o4-mini", "o3-mini elsewhere")
ABSENT = "absent"

Differences = dict[str, tuple[Any, Any]]
"""Each JSON path that differs, with the values that litellm and the direct transport send."""

Table = tuple[tuple[str, tuple[str, ...], tuple[str, ...], Differences], ...]

MEANT: Table = (
    (
        "litellm leaves a null content out; to OpenAI both are an assistant's turn without a text",
        ("two results", "dangling call"),
        MODELS,
        {"messages[1].content": (ABSENT, None)},
    ),
    (
        "litellm calls a developer a system where the model is not of the o-series; OpenAI takes both words for one",
        ("developer",),
        tuple(model for model in MODELS if model not in O_SERIES),
        {"messages[0].role": ("system", "developer")},
    ),
    (
        "litellm makes a user of the system, which o1-preview needed; these models take a system message",
        ("system",),
        O_SERIES,
        {"messages[0].role": ("user", "system")},
    ),
    (
        "litellm withholds what no catalogue of OpenAI's names; another server may well take it",
        ("effort",),
        tuple(COMPATIBLE),
        {"verbosity": (ABSENT, "low")},
    ),
    (
        "litellm takes a model by its name for OpenAI's, wherever it is served; another server has its own rules",
        ("one call at a time",),
        ("o3-mini elsewhere",),
        {"parallel_tool_calls": (ABSENT, False)},
    ),
    (
        "likewise",
        ("max_tokens",),
        ("o3-mini elsewhere",),
        {"max_completion_tokens": (50, ABSENT), "max_tokens": (ABSENT, 50)},
    ),
    ("likewise", ("both limits",), ("o3-mini elsewhere",), {"max_tokens": (ABSENT, 50)}),
    (
        "likewise",
        ("sampling",),
        ("o3-mini elsewhere",),
        {"temperature": (ABSENT, 0.3), "top_p": (ABSENT, 0.9)},
    ),
    ("likewise", ("no effort",), ("o3-mini elsewhere",), {"temperature": (ABSENT, 0.3)}),
    (
        "likewise",
        ("penalties",),
        ("o3-mini elsewhere",),
        {"presence_penalty": (ABSENT, 0.5), "frequency_penalty": (ABSENT, 0.5)},
    ),
    (
        "likewise",
        ("logprobs",),
        ("o3-mini elsewhere",),
        {"logprobs": (ABSENT, True), "top_logprobs": (ABSENT, 2)},
    ),
)
"""Every intended difference: the reason, the requests and models that it concerns, and the two values."""


@asynccontextmanager
async def both(
    emulator: OpenAIEmulator, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Proxied, Proxied]]:
    """Serve the proxy once with each transport. Calls to OpenAI's own address go to the emulator."""
    monkeypatch.setattr(openai_wire, "base_of", lambda _, api_base: api_base or emulator.base_url)
    monkeypatch.setenv("OPENAI_BASE_URL", emulator.base_url)  # litellm's way to move it

    def settings(transport: str) -> Settings:
        entries = []
        for name in MODELS:
            parameters = {"model": f"openai/{COMPATIBLE.get(name, name)}", "api_key": "emulated"}
            if name in COMPATIBLE:
                parameters["api_base"] = emulator.base_url
            entries.append({"model_name": name, "transport": transport, "litellm_params": parameters})
        return settings_of(model_list=entries)

    one, other = settings("litellm"), settings("direct")
    async with (
        proxied(one, SelectingUpstream.for_settings(one)) as litellm,
        proxied(other, SelectingUpstream.for_settings(other)) as direct,
    ):
        yield litellm, direct


@pytest.mark.each_value
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", MODELS)
async def test_both_transports_send_openai_the_same_bodies(
    openai_emulator: OpenAIEmulator, monkeypatch: pytest.MonkeyPatch, model: str, stream: bool
) -> None:
    """Both transports send equal bodies, except for the differences in the table."""
    switches = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    found = {}
    async with both(openai_emulator, monkeypatch) as proxies:
        for name, request in REQUESTS.items():
            openai_emulator.requests.clear()
            for proxy in proxies:
                reply = await proxy.post({"model": model, **request, **switches})
                assert reply.status == 200, reply.raw
            litellm, direct = openai_emulator.requests
            found[name] = differences(litellm.body, direct.body)

    assert found == {name: meant(name, model) for name in REQUESTS}


def meant(request: str, model: str) -> Differences:
    """Return the differences that the table holds for a request to a model."""
    expected: Differences = {}
    for _, requests, models, places in MEANT:
        if request in requests and model in models:
            expected |= places
    return expected


def differences(one: Any, other: Any, path: str = "") -> Differences:
    """Return the paths at which two JSON values differ, with both values."""
    if one == other and type(one) is type(other):
        return {}
    found: Differences = {}
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            inner = f"{path}.{name}" if path else name
            found |= differences(one.get(name, ABSENT), other.get(name, ABSENT), inner)
        return found
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, pair in enumerate(zip(one, other, strict=True)):
            found |= differences(*pair, f"{path}[{at}]")
        return found
    return {path: (one, other)}
