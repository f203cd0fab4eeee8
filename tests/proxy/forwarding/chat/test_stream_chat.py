"""Tests of chat streams: the shape of chunks that clients rely on, and the ends of streams."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import openai as openai_client
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from proxy.answers.normalize import ChunkNormalizer
from proxy.config import Settings
from proxy.core.errors import UpstreamFault, UpstreamUnreachable
from tests.proxy.conftest import TRANSPORTS
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, ScriptedUpstream, chunk, say

pytestmark = LITELLM_NOISE

WEATHER: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "It.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
TWO_TOOLS = [WEATHER, {"type": "function", "function": {"name": "get_time", "description": "It."}}]


@pytest.fixture
def settings() -> Settings:
    """Return settings with one model, without retries."""
    return settings_of()


def assert_contract(events: list[Any], *, usage: bool = False) -> None:
    """Assert every rule for a stream's events that some client was seen to depend on."""
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
async def test_stream_of_each_provider_keeps_the_contract(
    real: Proxied, model: str, calls: bool, usage: bool
) -> None:
    """Each provider's stream keeps the rules of ``assert_contract``, and has usage only where it was asked for."""
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
async def test_openais_client_assembles_a_stream_with_tool_calls(real: Proxied, model: str) -> None:
    """The strict stream helper of OpenAI's client assembles the tool call from the proxy's chunks."""
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


async def test_fields_that_a_provider_leaves_out_are_added(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The proxy adds the role, the index of each call, id, object, model and one finish reason."""

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


async def test_each_choice_has_its_role_first_and_one_finish_reason(upstream: ScriptedUpstream) -> None:
    """Each choice of a stream begins with its role, and a stream in which no choice ends is an error."""
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
async def test_usage_chunk_comes_only_where_the_client_asked_for_it(
    proxy: Proxied, upstream: ScriptedUpstream, asked: bool
) -> None:
    """The proxy always asks the provider for the usage, and counts its tokens."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10, "cost": 0.1}
    upstream.then(say("x"), STOP, {"choices": [], "usage": usage})
    reply = await proxy.post(chat(stream=True, stream_options={"include_usage": asked}))

    found = [event["usage"] for event in reply.events[:-1] if "usage" in event]
    assert found == ([{"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}] if asked else [])
    assert upstream.calls[0].ask_usage
    assert await proxy.count("tokens_total", type="input") == 7


async def test_chunk_is_sent_before_the_next_one_comes(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The client has the first event while the provider pauses."""
    upstream.then(say("first"), HANG)
    async with proxy.session.post(proxy.origin + CHAT, json=chat(stream=True)) as response:
        async with asyncio.timeout(20):
            line = await response.content.readline()

    assert b'"first"' in line


@pytest.mark.parametrize("status", [400, 429, 503])
async def test_error_before_the_first_chunk_keeps_its_status(
    proxy: Proxied, upstream: ScriptedUpstream, status: int
) -> None:
    """An error before the first chunk keeps its status, since the status 200 has not been sent."""
    fault = UpstreamFault("Not now.", upstream_status=status)
    fault.headers["retry-after"] = "3"
    upstream.then(fault)
    reply = await proxy.post(chat(stream=True))

    assert (reply.status, reply.error["message"]) == (status, "Not now.")
    assert reply.headers["retry-after"] == "3"


@pytest.mark.parametrize("steps", [[], [{"choices": []}], [{"choices": [], "usage": {"prompt_tokens": 1}}]])
async def test_stream_that_ends_without_an_answer_is_status_502(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any]
) -> None:
    """A provider's stream that ends without an answer becomes an error with status 502."""
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
async def test_stream_that_breaks_off_ends_with_an_error_event(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any], code: str, kind: str
) -> None:
    """A stream that breaks off gets no end marker, since a client would take the answer for complete."""
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
async def test_broken_provider_connection_becomes_an_error_event(
    real: Proxied, openai: OpenAIEmulator, gemini: GeminiEmulator, model: str
) -> None:
    """After a broken connection to the provider the client gets an error event and no end marker."""
    openai.faults.append({"cut_after_chunks": 2})
    await gemini.fault(cut_after_chunks=1)
    reply = await real.post(chat(model=model, stream=True))

    assert reply.status == 200
    assert reply.events[-1]["error"]["code"] == "upstream_unreachable"
    assert "[DONE]" not in reply.events


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
@hypothesis_settings(max_examples=100, deadline=None)
def test_normalizer_gives_any_chunks_one_shape(chunks: list[Any], include_usage: bool) -> None:
    """For any chunks of a provider, each choice begins with its role and ends at most once."""
    normalizer = ChunkNormalizer(fallback_id="f", created=5, model="d", include_usage=include_usage)
    sent: list[Any] = []
    with suppress(UpstreamFault):  # for a call without a name
        sent += (found for found in map(normalizer.normalize, chunks) if found is not None)

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
