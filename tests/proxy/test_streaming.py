"""Streams: the shape that clients rely on, how they end, and who ends them."""

from __future__ import annotations

import asyncio
import itertools
import socket
import time
from typing import Any
from unittest.mock import AsyncMock, Mock

import openai as openai_client
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.errors import UpstreamFault, UpstreamUnreachable
from proxy.event_stream import EventStream
from proxy.normalize import ChunkNormalizer
from proxy.observation import Record
from proxy.sse import DONE
from proxy.stream_end import finish_stream
from tests.proxy.conftest import TRANSPORTS
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, MODEL, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, chunk, say

pytestmark = LITELLM_NOISE

AT_ONCE = 0.1
"""Seconds in which a client's leaving has to reach the upstream."""

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "It.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TWO_TOOLS = [WEATHER, {"type": "function", "function": {"name": "get_time", "description": "It."}}]


def assert_contract(events: list[Any], *, usage: bool = False) -> None:
    """Every rule that some client was seen to break on."""
    *chunks, done = events
    assert done == "[DONE]"
    for name in ("id", "model", "created", "object"):
        assert len({event[name] for event in chunks}) == 1, name
    assert chunks[0]["object"] == "chat.completion.chunk"
    choices = [choice for event in chunks for choice in event["choices"]]
    assert choices[0]["delta"]["role"] == "assistant"
    assert not any("role" in choice["delta"] for choice in choices[1:])
    assert [choice["finish_reason"] is not None for choice in choices] == [False] * (len(choices) - 1) + [
        True
    ]
    for choice in choices:
        for entry in choice["delta"].get("tool_calls", ()):
            assert isinstance(entry["index"], int)
    assert ["usage" in event for event in chunks].count(True) == usage


@TRANSPORTS
@pytest.mark.parametrize("usage", [False, True], ids=["plain", "usage"])
@pytest.mark.parametrize("calls", [False, True], ids=["text", "calls"])
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_contract(real: Proxied, model: str, calls: bool, usage: bool) -> None:
    """A stream of each provider keeps the contract; usage is there only when it was asked for."""
    body = chat("call get_weather and get_time" if calls else "Hello.", model=model, stream=True)
    body |= {"tools": TWO_TOOLS} if calls else {}
    body |= {"stream_options": {"include_usage": True}} if usage else {}
    reply = await real.post(body)

    assert reply.status == 200
    assert reply.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["Cache-Control"] == "no-cache"
    assert reply.headers["x-turnright-model"]
    assert_contract(reply.events, usage=usage)
    last = [choice for event in reply.events[:-1] for choice in event["choices"]][-1]
    assert last["finish_reason"] == ("tool_calls" if calls else "stop")
    entries = [
        entry
        for event in reply.events[:-1]
        for choice in event["choices"]
        for entry in choice["delta"].get("tool_calls", ())
    ]
    assert {entry["index"] for entry in entries} == ({0, 1} if calls else set())


@TRANSPORTS
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_openais_client_reads_it(real: Proxied, model: str) -> None:
    """The strict helper of OpenAI's own client puts a stream with tool calls together."""
    async with openai_client.AsyncOpenAI(base_url=f"{real.origin}/v1", api_key="x", max_retries=0) as client:
        messages: Any = [{"role": "user", "content": "call get_weather"}]
        schema = {**WEATHER["function"]["parameters"], "additionalProperties": False}
        strict = {**WEATHER["function"], "strict": True, "parameters": schema}
        tools: Any = [{"type": "function", "function": strict}]
        async with client.chat.completions.stream(model=model, messages=messages, tools=tools) as stream:
            final = await stream.get_final_completion()

    [called] = final.choices[0].message.tool_calls or []
    assert called.function.name == "get_weather"
    assert final.choices[0].finish_reason == "tool_calls"


async def test_role_and_index_are_added(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """What a provider leaves out is added: role, index of each call, id, object, model, one finish reason."""

    def fragment(**entry: Any) -> Any:
        return {"choices": [{"delta": {"tool_calls": [entry]}}]}

    upstream.then(
        fragment(id="a", function={"name": "f", "arguments": ""}),
        fragment(function={"arguments": '{"x": 1}'}),
        fragment(id="b", function={"name": "g", "arguments": "{"}),
        fragment(id="b", function={"arguments": "}"}),
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        say("too late"),
    )
    reply = await proxy.post(chat(stream=True))

    assert_contract(reply.events)
    entries = [event["choices"][0]["delta"].get("tool_calls") for event in reply.events[:-1]]
    assert [found[0]["index"] for found in entries if found] == [0, 0, 1, 1]
    assert reply.events[-2]["choices"][0]["finish_reason"] == "tool_calls"


async def test_several_choices_end_each(upstream: ScriptedUpstream) -> None:
    """With `n` choices, each has its role first and its own finish reason; with none at all it is an error."""
    both = [chunk({"content": "a"}, index=at) for at in (0, 1)]
    ends = [chunk(finish="stop", index=at) for at in (0, 1)]
    upstream.then(*both, *ends)
    upstream.then(*both)
    async with proxied(settings_of({MODEL: "openai/gpt-4.1"}), upstream) as proxy:
        whole, broken = [await proxy.post(chat(stream=True, n=2)) for _ in range(2)]

    assert whole.events[-1] == "[DONE]"
    assert [event["choices"][0]["delta"].get("role") for event in whole.events[:2]] == ["assistant"] * 2
    assert broken.events[-1]["error"]["code"] == "upstream_error"


@pytest.mark.parametrize("asked", [False, True])
async def test_usage_only_when_asked_for(proxy: Proxied, upstream: ScriptedUpstream, asked: bool) -> None:
    """A provider that sends usage unasked does not surprise a client; it is counted all the same."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "cost": 0.1}
    upstream.then(say("x"), STOP, {"choices": [], "usage": usage})
    reply = await proxy.post(chat(stream=True, stream_options={"include_usage": asked}))

    found = [event["usage"] for event in reply.events[:-1] if "usage" in event]
    assert found == ([{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}] if asked else [])
    assert upstream.calls[0].ask_usage
    assert await proxy.count("tokens_total", type="input") == 7


async def test_chunks_leave_as_they_come(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The first event is at the client while the provider still thinks about the second."""
    upstream.then(say("first"), HANG)
    async with proxy.session.post(proxy.origin + CHAT, json=chat(stream=True)) as response:
        async with asyncio.timeout(2):
            line = await response.content.readline()

    assert b'"first"' in line


@pytest.mark.parametrize("status", [400, 429, 503])
async def test_error_before_the_first_chunk_keeps_its_status(
    proxy: Proxied, upstream: ScriptedUpstream, status: int
) -> None:
    """No 200 goes out before the first chunk is there."""
    upstream.then(UpstreamFault("Not now.", upstream_status=status, headers={"retry-after": "3"}))
    reply = await proxy.post(chat(stream=True))

    assert (reply.status, reply.error["message"]) == (status, "Not now.")
    assert reply.headers["retry-after"] == "3"


@pytest.mark.parametrize("steps", [[], [{"choices": []}], [{"choices": [], "usage": {"prompt_tokens": 1}}]])
async def test_stream_without_an_answer(proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any]) -> None:
    """A stream that ends before it said anything is a 502, not an empty answer."""
    upstream.then(*steps)
    reply = await proxy.post(chat(stream=True))

    assert (reply.status, reply.error["code"]) == (502, "upstream_error")


@pytest.mark.parametrize(
    ("steps", "code", "kind"),
    [
        ([say("Good "), UpstreamUnreachable("It broke.")], "upstream_unreachable", "unreachable"),
        ([say("Good ")], "upstream_error", "truncated"),
        ([say("Good "), {"choices": [], "usage": {"prompt_tokens": 1}}], "upstream_error", "truncated"),
    ],
    ids=["error", "no finish reason", "usage but no finish reason"],
)
async def test_stream_that_breaks_off(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any], code: str, kind: str
) -> None:
    """What dies in the middle ends with an error event and without [DONE]: a clean end would be a lie."""
    upstream.then(*steps)
    reply = await proxy.post(chat(stream=True))

    assert reply.status == 200
    assert "[DONE]" not in reply.events
    assert reply.events[0]["choices"][0]["delta"]["content"] == "Good "
    assert reply.events[-1]["error"].keys() == {"message", "type", "param", "code"}
    assert reply.events[-1]["error"]["code"] == code
    assert await proxy.count("requests_total", outcome=code, model=MODEL) == 1
    assert await proxy.count("upstream_attempts_total", outcome=kind) == 1


@TRANSPORTS
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_wire_that_breaks_in_mid_stream(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str
) -> None:
    """A provider's connection that breaks is told as an event, on each transport."""
    openai.faults.append({"cut_after_chunks": 2})
    await gemini.fault(cut_after_chunks=1)
    reply = await real.post(chat(model=model, stream=True))

    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] == "upstream_unreachable"
    assert "[DONE]" not in reply.events


LIMITS = {"timeout": 5.0, "first_byte_timeout": 5.0, "idle_timeout": 5.0}


async def timed(upstream: ScriptedUpstream, body: Any, **limits: float) -> tuple[Reply, float]:
    """Send a request under these limits; return the answer and how long it took."""
    async with proxied(settings_of(router_settings={**LIMITS, **limits}), upstream) as proxy:
        start = time.monotonic()
        reply = await proxy.post(body)
        took = time.monotonic() - start
    return reply, took


async def test_first_byte_timeout(upstream: ScriptedUpstream) -> None:
    """A provider that does not begin is a 504, and its call is ended."""
    upstream.then(HANG)
    reply, took = await timed(upstream, chat(stream=True), first_byte_timeout=0.2)

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert 0.2 <= took < 1
    assert await upstream.exchanges[0].ended() == "failed"


async def test_idle_timeout(upstream: ScriptedUpstream) -> None:
    """A provider that stops in the middle ends the stream with an event; each chunk sets the limit back."""
    upstream.then(*[step for _ in range(4) for step in (say("x"), Pause(0.15))], HANG)
    reply, took = await timed(upstream, chat(stream=True), idle_timeout=0.3, first_byte_timeout=0.1)

    assert reply.status == 200
    assert len(reply.events) == 5
    assert reply.events[-1]["error"]["code"] == "upstream_timeout"
    assert 0.7 <= took < 1.8
    assert await upstream.exchanges[0].ended() == "failed"


async def test_chunks_that_say_nothing_do_not_begin(upstream: ScriptedUpstream) -> None:
    """The idle limit starts with the first chunk that the client sees."""
    upstream.then({"choices": []}, Pause(0.3), say("x"), STOP)
    reply, _ = await timed(upstream, chat(stream=True), idle_timeout=0.1, first_byte_timeout=2)

    assert reply.events[-1] == "[DONE]"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_total_deadline(upstream: ScriptedUpstream, stream: bool) -> None:
    """A provider that goes on for ever is stopped at the deadline."""
    steps = [step for _ in range(1000) for step in (say("x"), Pause(0.05))]
    upstream.then(*(steps if stream else [HANG]))
    reply, took = await timed(upstream, chat(stream=stream), timeout=0.4)

    error = reply.events[-1]["error"] if stream else reply.error
    assert reply.status == (200 if stream else 504)
    assert error["code"] == "upstream_timeout"
    assert 0.4 <= took < 1.2
    assert await upstream.exchanges[0].ended() in ("cancelled", "closed", "failed")


async def test_deployments_own_timeout(upstream: ScriptedUpstream) -> None:
    """A deployment may be given less time than the router."""
    upstream.then(HANG)
    settings = settings_of({MODEL: {"model": "openai/gpt-4.1", "timeout": 0.2}}, router_settings=LIMITS)
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(chat())

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")


async def connect(proxy: Proxied, body: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Send a request on a socket of our own, whose window is small."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.setblocking(False)
    await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", proxy.server.port))
    reader, writer = await asyncio.open_connection(sock=raw, limit=1024)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    await writer.drain()
    return reader, writer


BIG = 200_000
STREAM_BODY = b'{"model": "gemini", "messages": [{"role": "user", "content": "x"}], "stream": true}'
WHOLE_BODY = STREAM_BODY.replace(b"true", b"false")


async def test_slow_client_holds_the_provider_back(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A client that does not read makes the provider wait, not this process's memory grow; then it gets all."""
    taken = 0

    async def counted(call: Any) -> Any:
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield say("x" * BIG)
        yield STOP

    upstream.stream = counted  # type: ignore[method-assign]  # a test double of a test double
    reader, writer = await connect(proxy, STREAM_BODY)
    await asyncio.sleep(0.3)
    held = taken
    received = 0
    while data := await asyncio.wait_for(reader.read(2**20), 5):
        received += len(data)
        if b"[DONE]" in data:
            break
    writer.close()

    assert held < 60
    assert taken == 100
    assert received > 100 * BIG


async def test_stuck_client_is_cut_off(upstream: ScriptedUpstream) -> None:
    """A client that takes nothing for ever is let go at the deadline, and so is the provider."""
    upstream.then(*[say("x" * BIG)] * 100, STOP)
    async with proxied(settings_of(router_settings={**LIMITS, "timeout": 0.4}), upstream) as proxy:
        reader, writer = await connect(proxy, STREAM_BODY)
        exchange = await upstream.called()
        assert await exchange.ended(within=1) == "closed"
        await proxy.idle()
        assert await proxy.count("requests_total", outcome="client_disconnected") == 1
        received = await asyncio.wait_for(reader.read(), 5)
        assert b'"error"' not in received  # nothing was left behind for it in this process
        writer.close()


async def test_client_that_is_stuck_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that does not take the last event is let go as well."""
    monkeypatch.setattr("proxy.event_stream._FLUSH_S", 0.05)
    transport = Mock(spec=asyncio.Transport)
    request = make_mocked_request("POST", CHAT, transport=transport)
    record = Record(request_id="x", route=CHAT, started=0.0)
    out = EventStream(request, record)
    out.response = web.StreamResponse()
    monkeypatch.setattr(out.response, "write", AsyncMock())
    monkeypatch.setattr(out.response, "write_eof", lambda: asyncio.sleep(3600))
    async with asyncio.timeout(2):
        await out.end(DONE, asyncio.get_running_loop().time())

    assert record.outcome == "client_disconnected"
    transport.abort.assert_called_once_with()


@pytest.mark.parametrize("fault", [ValueError(), UpstreamFault("No.")], ids=["ours", "the provider's"])
@pytest.mark.parametrize("begun", [False, True], ids=["about to write", "writing"])
async def test_client_that_is_stuck_before_the_end(
    monkeypatch: pytest.MonkeyPatch, fault: Exception, begun: bool
) -> None:
    """A beat that waits for it keeps nothing that ends from ending."""
    monkeypatch.setattr("proxy.event_stream._FLUSH_S", 0.05)
    transport = Mock(spec=asyncio.Transport)
    request = make_mocked_request("POST", CHAT, transport=transport)
    record = Record(request_id="x", route=CHAT, started=0.0)
    out = EventStream(request, record)
    out.response = web.StreamResponse()
    monkeypatch.setattr(out.response, "write", lambda _: asyncio.sleep(3600))

    async def fail() -> None:
        out.hold(b"held")
        out._tick()
        if begun:
            await asyncio.sleep(0)
            assert out.is_writing
        raise fault

    async with asyncio.timeout(2):
        await finish_stream(request, out, fail, asyncio.get_running_loop().time(), record)

    assert record.outcome == "client_disconnected"
    transport.abort.assert_called_once_with()


async def test_a_chunk_costs_one_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once an answer is on its way a chunk is written, and nothing else: there are hundreds in each answer."""
    loop = asyncio.get_running_loop()
    clock = Mock(side_effect=itertools.count(100.0))
    out = EventStream(make_mocked_request("POST", CHAT), Record(request_id="x", route=CHAT, started=0.0))
    out.stop()
    out.response = web.StreamResponse()
    write = AsyncMock()
    monkeypatch.setattr(out.response, "write", write)
    await out.commit(b"first")
    with monkeypatch.context() as patched:
        patched.setattr(out, "_clock", clock)
        assert [await out.send(b"x", loop.time()) for _ in range(3)] == [100.0, 101.0, 102.0]

    assert clock.call_count == 3
    assert [call.args[0] for call in write.await_args_list] == [b"first", b"x", b"x", b"x"]


@pytest.mark.parametrize(
    ("body", "steps", "end"),
    [
        (STREAM_BODY, [say("x"), HANG], "cancelled"),
        (STREAM_BODY, [HANG], "cancelled"),
        (STREAM_BODY, [say("x" * BIG)] * 1000, "closed"),
        (WHOLE_BODY, [HANG], "cancelled"),
    ],
    ids=["between chunks", "before the first chunk", "while it does not read", "whole"],
)
async def test_leaving_client_ends_the_call(
    proxy: Proxied, upstream: ScriptedUpstream, body: bytes, steps: list[Any], end: str
) -> None:
    """When the client goes, the provider's call ends at once: what nobody reads is not paid for."""
    upstream.then(*steps)
    _, writer = await connect(proxy, body)
    exchange = await upstream.called()
    await asyncio.sleep(0.2)
    assert exchange.end is None
    left = time.monotonic()
    writer.transport.abort()
    ended = await exchange.ended()

    assert ended == end
    assert time.monotonic() - left < AT_ONCE
    await proxy.idle()
    assert await proxy.count("requests_total", outcome="client_disconnected") == 1
    assert await proxy.count("in_flight") == 0


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", ["openai", "gemini"])
async def test_leaving_client_reaches_the_provider(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str, stream: bool
) -> None:
    """Through litellm too, the provider's connection is closed when the client goes."""
    openai.faults.append({"delay_seconds": 0 if stream else 30, "chunk_delay_seconds": 0.3})
    await gemini.fault(delay_seconds=0 if stream else 30, chunk_delay_seconds=0.3)
    asked = asyncio.get_running_loop().create_task(real.post(chat(model=model, stream=stream)))

    async def seen() -> str | None:
        """Return how the provider's request ended; `running` before."""
        if model == "openai":
            return (openai.requests[0].finished or "running") if openai.requests else None
        journal = await gemini.journal()
        return str(journal[0]["finished"]) if journal else None

    async def reached(*ends: str | None) -> None:
        async with asyncio.timeout(5):
            while await seen() not in ends:  # noqa: ASYNC110 - one of them is asked over HTTP
                await asyncio.sleep(0.02)

    await reached("running")
    await asyncio.sleep(0.1)
    asked.cancel()
    await reached("disconnected")


def _deltas() -> st.SearchStrategy[dict[str, Any]]:
    entry = st.fixed_dictionaries(
        {},
        optional={
            "index": st.none() | st.integers(0, 2),
            "id": st.sampled_from(["a", "b", "", None]),
            "type": st.just("function"),
            "function": st.just({"name": "f", "arguments": "{}"}),
            "provider_specific_fields": st.just({"thought_signature": "x"}),
        },
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["assistant", "model", None]),
            "content": st.none() | st.text(max_size=3),
            "tool_calls": st.none() | st.lists(entry, max_size=3),
            "reasoning_content": st.just("r"),
            "vertex_ai_grounding": st.just({}),
        },
    )


_CHOICES: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "index": st.integers(0, 2),
        "delta": st.none() | _deltas(),
        "finish_reason": st.sampled_from([None, "", "stop", "length", "tool_calls", "function_call"]),
        "logprobs": st.none() | st.just({"content": []}),
    },
)
_CHUNKS: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["x", "y", "", None]),
        "model": st.sampled_from(["m", None]),
        "created": st.integers(),
        "choices": st.none() | st.lists(_CHOICES, max_size=3),
        "usage": st.none() | st.just({"prompt_tokens": 1, "vendor": 2}),
        "citations": st.just([]),
    },
)


@given(chunks=st.lists(_CHUNKS, max_size=8), include_usage=st.booleans())
@hypothesis_settings(max_examples=300, deadline=None)
def test_normalizer_keeps_the_contract(chunks: list[Any], include_usage: bool) -> None:
    """Whatever chunks come, what leaves is in one shape, and each choice speaks first and ends once."""
    normalizer = ChunkNormalizer(fallback_id="f", created=5, model="d", include_usage=include_usage)
    sent = [found for found in map(normalizer.normalize, chunks) if found is not None]

    assert len({(event["id"], event["object"], event["created"], event["model"]) for event in sent}) <= 1
    spoken: set[int] = set()
    ended: set[int] = set()
    for event in sent:
        assert event.keys() - {"usage"} == {"id", "object", "created", "model", "choices"}
        assert event["choices"] or include_usage
        assert include_usage or "usage" not in event
        for choice in event["choices"]:
            index = choice["index"]
            assert index not in ended
            assert ("role" in choice["delta"]) == (index not in spoken)
            assert "vertex_ai_grounding" not in choice["delta"]
            for entry in choice["delta"].get("tool_calls") or ():
                assert isinstance(entry["index"], int)
                assert entry.keys() <= {"index", "id", "type", "function"}
            spoken.add(index)
            if choice["finish_reason"] is not None:
                ended.add(index)
    assert normalizer.finished == bool(ended)
