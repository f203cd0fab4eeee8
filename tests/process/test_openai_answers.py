"""Tests that both transports give a client the same answer, except for the differences listed here."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.upstream.provider import DONE, Exchange, event, head, piece, providing, whole
from tests.support.builders import user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import answer, chunk

pytestmark = LITELLM_NOISE

USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
A, B = '{"city":"A"}', '{"city":"B"}'


def call(call_id: str, text: str, index: int | None = None) -> dict[str, Any]:
    """Return a tool call. In a stream, the call has an *index*."""
    place = {} if index is None else {"index": index}
    return {**place, "id": call_id, "type": "function", "function": {"name": "f", "arguments": text}}


def ended(reason: str, text: Any = "x", **message: Any) -> dict[str, Any]:
    """Return an answer that is not streamed, with a finish reason and a usage."""
    value = answer(text, **message)
    value["choices"][0]["finish_reason"] = reason
    return {**value, "usage": USAGE}


def streamed(*deltas: dict[str, Any], reason: str = "stop") -> list[Any]:
    """Return the events of a stream that ends with its usage."""
    return [*map(chunk, deltas), chunk(finish=reason), {**chunk(), "choices": [], "usage": USAGE}]


WHOLE: dict[str, Any] = {
    "text": ended("stop"),
    "cut": ended("length"),
    "filtered": ended("content_filter", None),
    "refusal": ended("stop", None, refusal="no"),
    "reasoning": ended("stop", reasoning="r"),
    "reasoning_content": ended("stop", reasoning_content="r"),
    "calls": ended("tool_calls", None, tool_calls=[call("a", A), call("b", B)]),
    "calls and text": ended("tool_calls", "on it", tool_calls=[call("a", A)]),
    "calls that stop": ended("stop", None, tool_calls=[call("a", A)]),
    "end_turn": ended("end_turn"),
    "eos": ended("eos"),
    "max_tokens": ended("max_tokens"),
    "model_length": ended("model_length"),
    "nobody's reason": ended("network_error"),
    "no reason": {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]},
    "half an emoji": ended("stop", "a\ud83d"),
    "an empty error": {**ended("stop"), "error": {}},
    "an error": {"error": {"message": "Slow down.", "code": 429}},
    "an error in an array": [{"error": {"message": "Slow down.", "code": 429}}],
    "no message": {"choices": [{"index": 0, "finish_reason": "stop"}]},
}

STREAMS: dict[str, list[Any]] = {
    "text": streamed({"role": "assistant", "content": ""}, {"content": "a"}, {"content": "b"}),
    "cut": streamed({"content": "a"}, reason="length"),
    "reasoning": streamed({"reasoning": "r"}, {"reasoning": "s"}, {"content": "a"}),
    "reasoning_content": streamed({"reasoning_content": "r"}, {"content": "a"}),
    "call in pieces": streamed(
        {"tool_calls": [call("a", "", 0)]},
        {"tool_calls": [{"index": 0, "function": {"arguments": A[:4]}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": A[4:]}}]},
        reason="tool_calls",
    ),
    "calls": streamed(
        {"tool_calls": [call("a", A, 0)]}, {"tool_calls": [call("b", B, 1)]}, reason="tool_calls"
    ),
    "calls at one index": streamed(
        {"tool_calls": [call("a", A, 0)]}, {"tool_calls": [call("b", B, 0)]}, reason="tool_calls"
    ),
    "a call again": streamed(
        {"tool_calls": [call("a", A, 0)]}, {"tool_calls": [call("a", A, 0)]}, reason="tool_calls"
    ),
    "calls that stop": streamed({"tool_calls": [call("a", A, 0)]}),
    "end_turn": streamed({"content": "a"}, reason="end_turn"),
    "max_tokens": streamed({"content": "a"}, reason="max_tokens"),
    "nobody's reason": streamed({"content": "a"}, reason="network_error"),
    "no reason": [chunk({"content": "a"})],
    "more after the end": [chunk({"content": "a"}), chunk(finish="stop"), chunk({"content": "b"})],
    "an emoji in halves": streamed({"content": "a\ud83d"}, {"content": "\ude00"}),
    "an error": [{"error": {"message": "Slow down.", "code": 429}}],
    "an error in an array": [[{"error": {"message": "Slow down.", "code": 429}}]],
}

Said = dict[str, Any]
Different = dict[str, tuple[Any, Any]]
"""Each field of an answer that differs, with its values through litellm and through the direct transport."""

Meant = tuple[tuple[str, tuple[str, ...], Different], ...]

WHOLE_MEANT: Meant = (
    ("litellm loses a refusal in whole answers", ("refusal",), {"refusal": ("", "no")}),
    ("litellm calls a limit that it does not know a stop", ("model_length",), {"finish": ("stop", "length")}),
    (
        "litellm calls an answer that broke off a stop; here it is the provider's fault",
        ("nobody's reason", "no reason"),
        {"status": (200, 502)},
    ),
    ("litellm loses an error's status", ("an error", "an error in an array"), {"status": (502, 429)}),
)

STREAMS_MEANT: Meant = (
    (
        "litellm calls an answer that broke off a stop; here the stream ends with an error",
        ("nobody's reason", "no reason"),
        {"error": (None, "upstream_error")},
    ),
    (
        "litellm drops what comes behind the end, and says that the answer is whole",
        ("more after the end",),
        {"error": (None, "upstream_error")},
    ),
    ("litellm takes an error in a stream for a failed conversion", ("an error",), {"status": (400, 429)}),
    ("litellm loses an error's status", ("an error in an array",), {"status": (502, 429)}),
)
"""Every intended difference: the reason, the answers that it concerns, and the two values."""


@asynccontextmanager
async def both(port: int) -> AsyncIterator[tuple[Proxied, Proxied]]:
    """Serve the proxy once with each transport, in front of a provider on *port*."""
    served = []
    for transport in ("litellm", "direct"):
        parameters = {"model": "openai/local", "api_key": "k", "api_base": f"http://127.0.0.1:{port}/v1"}
        entry = {"model_name": "local", "transport": transport, "litellm_params": parameters}
        served.append(settings_of(model_list=[entry]))
    one, other = served
    async with (
        proxied(one, SelectingUpstream.for_settings(one)) as litellm,
        proxied(other, SelectingUpstream.for_settings(other)) as direct,
    ):
        yield litellm, direct


def said_whole(reply: Reply) -> Said:
    """Return the fields that a client reads from an answer that is not streamed."""
    if reply.status != 200:
        return {"status": reply.status, "error": reply.error["code"]}
    [choice] = reply.json["choices"]
    return {
        "status": 200,
        **said(choice["message"]),
        "finish": choice["finish_reason"],
        "usage": counts(reply.json.get("usage")),
    }


def said_in_stream(reply: Reply) -> Said:
    """Return the fields that a client reads from a stream, with its texts and arguments joined."""
    if reply.status != 200:
        return {"status": reply.status, "error": reply.error["code"]}
    message: dict[str, Any] = {}
    calls: dict[int, dict[str, Any]] = {}
    found: Said = {"status": 200, "finish": None, "usage": None}
    for value in reply.events:
        if value == "[DONE]":
            continue
        if "error" in value:
            found["error"] = value["error"]["code"]
        found["usage"] = counts(value.get("usage")) or found["usage"]
        for choice in value.get("choices", ()):
            found["finish"] = choice["finish_reason"] or found["finish"]
            for name in ("content", "reasoning_content", "refusal"):
                message[name] = (message.get(name) or "") + (choice["delta"].get(name) or "")
            for entry in choice["delta"].get("tool_calls", ()):
                joined = calls.setdefault(
                    entry["index"], {"id": "", "function": {"name": "", "arguments": ""}}
                )
                joined["id"] += entry.get("id", "")
                for name, text in entry.get("function", {}).items():
                    joined["function"][name] += text or ""
    return {**said({**message, "tool_calls": list(calls.values())}), **found}


def said(message: dict[str, Any]) -> Said:
    """Return the calls, the text, the reasoning and the refusal of a message."""
    calls = [
        (entry["id"], entry["function"]["name"], entry["function"]["arguments"])
        for entry in message.get("tool_calls") or ()
    ]
    names = {"text": "content", "reasoning": "reasoning_content", "refusal": "refusal"}
    return {"calls": calls, **{name: message.get(field) or "" for name, field in names.items()}}


def counts(usage: Any) -> Any:
    """Return the counts of a usage without its details, which litellm adds."""
    return usage and {name: count for name, count in usage.items() if not name.endswith("_details")}


async def different(body: bytes, *, stream: bool) -> Different:
    """Return the differences between the answers of both transports where the provider sends *body*."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(body)

    switches = {"stream": True, "stream_options": {"include_usage": True}} if stream else {}
    async with providing(script) as provider, both(provider.port) as proxies:
        replies = [
            await proxy.post({"model": "local", "messages": [user("x")], **switches}) for proxy in proxies
        ]
    one, other = map(said_in_stream if stream else said_whole, replies)
    found = {
        name: (one.get(name), other.get(name))
        for name in {**one, **other}
        if one.get(name) != other.get(name)
    }
    failed = next(
        (name for name in ("status", "error") if name in found), None
    )  # then the rest is no comparison
    return found if failed is None else {failed: found[failed]}


def meant(name: str, table: Meant) -> Different:
    """Return the differences that the table holds for an answer."""
    return {field: pair for _, names, fields in table if name in names for field, pair in fields.items()}


@pytest.mark.parametrize("name", WHOLE)
async def test_whole_answers_mean_the_same(name: str) -> None:
    """Both transports give equal text, reasoning, refusal, calls, finish reason and usage, except as the table says."""
    body = whole(json.dumps(WHOLE[name]).encode())

    assert await different(body, stream=False) == meant(name, WHOLE_MEANT)


@pytest.mark.parametrize("name", STREAMS)
async def test_streams_mean_the_same(name: str) -> None:
    """Streams are equal once a client has joined their pieces, or differ as the table says."""
    body = head() + piece(b"".join(map(event, STREAMS[name])) + DONE) + piece(b"")

    assert await different(body, stream=True) == meant(name, STREAMS_MEANT)
