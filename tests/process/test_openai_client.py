"""Tests of the running process with OpenAI's own client: answers, streams, tool loops, models and errors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.process.asking import TARGETS, function_tool
from tests.process.emulators import Gemini
from tests.process.running import Served, serve
from tests.support.openai_emulator import OpenAIEmulator

MASTER_KEY = "sk-turnright-process-tests"
HELLO: Any = [{"role": "user", "content": "Hello there."}]
PRO = "gemini/gemini-2.5-pro"
TOOLS: Any = [function_tool(name) for name in ("get_weather", "get_time", "get_news")]
STRICT_TOOLS: Any = [{**tool, "function": {**tool["function"], "strict": True}} for tool in TOOLS]
"""The client's stream helper takes only strict tools."""

targets = pytest.mark.parametrize("model", TARGETS)


@pytest.fixture
async def client(served: Served, gemini: Gemini) -> AsyncIterator[AsyncOpenAI]:
    """Return OpenAI's asynchronous client, without retries of its own, before emulators without queued faults."""
    async with AsyncOpenAI(base_url=served.base_url, api_key="none", max_retries=0, timeout=30) as client:
        yield client


@pytest.fixture
def sync_client(served: Served, gemini: Gemini) -> Iterator[OpenAI]:
    """Return OpenAI's synchronous client, without retries of its own, before emulators without queued faults."""
    with OpenAI(base_url=served.base_url, api_key="none", max_retries=0, timeout=30) as client:
        yield client


@targets
async def test_chat_completion_has_text_finish_reason_usage_and_model(
    client: AsyncOpenAI, model: str
) -> None:
    """A chat completion has a text, a finish reason, a usage and the provider's model."""
    answer = await client.chat.completions.create(model=model, messages=HELLO)

    assert answer.object == "chat.completion"
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens >= answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    assert answer.model == model.partition("/")[2]


@targets
def test_synchronous_client_gets_the_same_text_whole_and_streamed(sync_client: OpenAI, model: str) -> None:
    """The synchronous client gets a whole answer and a stream that begin with the same text."""
    whole = sync_client.chat.completions.create(model=model, messages=HELLO)
    chunks = list(sync_client.chat.completions.create(model=model, messages=HELLO, stream=True))

    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    text = whole.choices[0].message.content or ""
    assert text[:8] == streamed[:8] != ""
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    assert chunks[0].choices[0].delta.role == "assistant"


@targets
async def test_stream_reports_usage_only_when_asked(client: AsyncOpenAI, model: str) -> None:
    """A stream reports its usage when it was asked to, and not otherwise."""
    options: Any = {"include_usage": True}
    asked = await client.chat.completions.create(
        model=model, messages=HELLO, stream=True, stream_options=options
    )
    with_usage = [chunk async for chunk in asked]
    plain = [
        chunk
        async for chunk in await client.chat.completions.create(model=model, messages=HELLO, stream=True)
    ]

    reported = [chunk.usage for chunk in with_usage if chunk.usage is not None]
    assert [usage.completion_tokens > 0 for usage in reported] == [True]
    assert [chunk.usage for chunk in plain if chunk.usage is not None] == []


@targets
async def test_clients_stream_helper_gives_the_finished_completion(client: AsyncOpenAI, model: str) -> None:
    """The client's stream helper puts the answer together and gives the finished completion."""
    texts: list[str] = []
    async with client.chat.completions.stream(model=model, messages=HELLO) as stream:
        async for event in stream:
            if event.type == "content.delta":
                texts.append(event.delta)
        final = await stream.get_final_completion()

    assert len(texts) > 1
    assert final.choices[0].message.content == "".join(texts)
    assert final.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@targets
async def test_three_rounds_of_parallel_calls_are_taken_as_they_came(
    client: AsyncOpenAI, gemini: Gemini, model: str, stream: bool
) -> None:
    """The provider accepts a history of three rounds of parallel calls whose answers are sent back unchanged."""
    messages: Any = [{"role": "system", "content": "Be brief."}]
    called: list[list[str]] = []
    for names in (["get_weather", "get_time"], ["get_news"], ["get_time", "get_news", "get_weather"]):
        messages.append({"role": "user", "content": f"Use {' and '.join(names)}."})
        asked = await say(client, model, messages, stream=stream)
        calls = asked.choices[0].message.tool_calls or []
        assert asked.choices[0].finish_reason == "tool_calls"
        assert len({call.id for call in calls}) == len(calls)
        called.append(sorted(call.function.name for call in calls))
        messages.append(asked.choices[0].message.model_dump(exclude_none=True))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": f"{call.function.name} says {number}"}
            for number, call in enumerate(calls)
        ]
        told = await say(client, model, messages, stream=stream)
        assert told.choices[0].finish_reason == "stop"
        messages.append(told.choices[0].message.model_dump(exclude_none=True))

    assert called == [
        ["get_time", "get_weather"],
        ["get_news"],
        ["get_news", "get_time", "get_weather"],
    ]
    if model.startswith("gemini/"):
        assert [entry["verdict"]["status"] for entry in gemini.journal()] == [200] * 6


async def say(client: AsyncOpenAI, model: str, messages: Any, *, stream: bool) -> Any:
    """Return the completion, put together by the client's helper where it is streamed."""
    if not stream:
        return await client.chat.completions.create(model=model, messages=messages, tools=TOOLS)
    helper = client.chat.completions.stream(model=model, messages=messages, tools=STRICT_TOOLS)
    async with helper as events:
        return await events.get_final_completion()


async def test_models_lists_configured_names_and_finds_those_a_wildcard_covers(client: AsyncOpenAI) -> None:
    """The model list shows a provider's models in place of a wildcard.

    A name that a wildcard covers is found, and any other name is not.
    """
    listed = [model.id async for model in client.models.list()]
    found = await client.models.retrieve("gemini/gemini-2.5-pro")

    assert {"gemini/gemini-2.5-pro", "openai/gpt-4.1"} <= set(listed)
    assert not any(name.endswith("*") for name in listed)
    assert (found.id, found.object, found.owned_by) == ("gemini/gemini-2.5-pro", "model", "gemini")
    with pytest.raises(openai.NotFoundError):
        await client.models.retrieve("anthropic/claude")


async def test_unknown_model_is_not_found_error_with_the_known_names(client: AsyncOpenAI) -> None:
    """A model that is not configured raises the client's NotFoundError, which lists the configured names."""
    with pytest.raises(openai.NotFoundError) as caught:
        await client.chat.completions.create(model="gpt-unknown", messages=HELLO)

    assert caught.value.code == "model_not_found"
    assert caught.value.param == "model"
    assert "gemini/*, openai/*" in caught.value.message


@pytest.mark.parametrize(
    ("extra", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role"),
        ({"temperature": "hot"}, "temperature"),
        ({"tools": [{"type": "mcp"}]}, "tools[0].type"),
    ],
)
async def test_unusable_request_is_bad_request_error_and_nothing_is_sent(
    client: AsyncOpenAI, gemini: Gemini, extra: Any, param: str
) -> None:
    """A request that cannot be used raises a BadRequestError that names the field, and nothing is sent."""
    arguments: Any = {"model": PRO, "messages": HELLO} | extra
    with pytest.raises(openai.BadRequestError) as caught:
        await client.chat.completions.create(**arguments)

    assert caught.value.param == param
    assert caught.value.type == "invalid_request_error"
    assert gemini.journal() == []


@pytest.fixture(scope="module")
def guarded(directory: Path, gemini_process: Gemini) -> Iterator[Served]:
    """Run a second process, with a master key."""
    parameters = {"model": "gemini/*", "api_key": "emulated", "api_base": gemini_process.api_base}
    config = {
        "model_list": [{"model_name": "gemini/*", "litellm_params": parameters}],
        "general_settings": {"master_key": MASTER_KEY, "drain_delay": 0, "drain_grace": 2},
    }
    with serve(directory, config) as process:
        yield process


async def test_wrong_master_key_is_authentication_error_that_shows_no_key(
    guarded: Served, gemini: Gemini
) -> None:
    """A wrong key raises an AuthenticationError that shows no key. A request with the master key is answered."""
    async with AsyncOpenAI(base_url=guarded.base_url, api_key="sk-wrong", max_retries=0) as stranger:
        for attempt in (
            stranger.chat.completions.create(model=PRO, messages=HELLO),
            stranger.models.retrieve(PRO),
        ):
            with pytest.raises(openai.AuthenticationError) as caught:
                await attempt
            assert caught.value.code == "invalid_api_key"
            assert "sk-" not in str(caught.value)
    assert gemini.journal() == []

    async with AsyncOpenAI(base_url=guarded.base_url, api_key=MASTER_KEY, max_retries=0) as friend:
        answer = await friend.chat.completions.create(model=PRO, messages=HELLO)
    assert answer.choices[0].message.content
    assert MASTER_KEY not in guarded.running.output


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_providers_429_is_rate_limit_error_after_one_call(
    client: AsyncOpenAI, gemini: Gemini, stream: bool
) -> None:
    """The provider's 429 is a RateLimitError with the provider's words, and the provider is asked once."""
    gemini.fault(status=429, message="Quota exceeded for the test.")
    with pytest.raises(openai.RateLimitError, match="Quota exceeded for the test"):
        await client.chat.completions.create(model=PRO, messages=HELLO, stream=stream)

    assert len(gemini.journal()) == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_providers_503_is_internal_server_error_with_its_status(
    client: AsyncOpenAI, gemini: Gemini, stream: bool
) -> None:
    """The provider's 503 is an InternalServerError with the status 503, also before a stream has begun."""
    gemini.fault(status=503, message="The model is overloaded.")
    with pytest.raises(openai.InternalServerError, match="The model is overloaded") as caught:
        await client.chat.completions.create(model=PRO, messages=HELLO, stream=stream)

    assert caught.value.status_code == 503


async def test_stream_that_is_cut(client: AsyncOpenAI, gemini: Gemini) -> None:
    """A stream that the provider cuts raises an APIError after the chunks that came."""
    gemini.say("one two three four five six seven eight nine ten")
    gemini.fault(cut_after_chunks=2)
    said: list[str] = []
    stream = await client.chat.completions.create(model=PRO, messages=HELLO, stream=True)

    async def read() -> None:
        async for chunk in stream:
            said.append(chunk.choices[0].delta.content or "")

    with pytest.raises(openai.APIError) as caught:
        await read()

    assert "".join(said).strip() == "one two three four"
    assert not isinstance(caught.value, openai.APIConnectionError)
    assert caught.value.code == "upstream_unreachable"


def test_stream_that_is_cut_sync(sync_client: OpenAI, openai_emulator: OpenAIEmulator) -> None:
    """A stream that an OpenAI-compatible provider cuts raises an APIError in the synchronous client."""
    openai_emulator.faults.append({"cut_after_chunks": 3})
    stream = sync_client.chat.completions.create(model=TARGETS[-1], messages=HELLO, stream=True)

    said: list[str] = []
    with pytest.raises(openai.APIError):
        said.extend(chunk.choices[0].delta.content or "" for chunk in stream)


async def test_answer_that_is_cut(client: AsyncOpenAI, gemini: Gemini) -> None:
    """An answer that breaks off before its end is an InternalServerError, status 502."""
    gemini.fault(cut_after_chunks=1)
    with pytest.raises(openai.InternalServerError) as caught:
        await client.chat.completions.create(model=PRO, messages=HELLO)

    assert caught.value.status_code == 502
