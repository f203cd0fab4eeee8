"""Tests OpenAI's emulator over real HTTP, mostly through the real client package."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import httpx
import openai
import pytest
from openai import AsyncOpenAI

from tests.support.builders import assistant, call, tool, user
from tests.support.openai_emulator import OpenAIEmulator, serving_openai
from tests.support.openai_emulator.judging import ORPHAN

U: Any = user("Hello.")
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {
                "type": "object",
                "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
                "required": ["q", "n"],
            },
        },
    }
    for name in ("grep", "read_file", "unused")
]
MENTION: Any = user("Call grep and read_file now.")


@pytest.fixture
async def emulator() -> AsyncIterator[OpenAIEmulator]:
    """Run OpenAI's emulator, and yield it."""
    async with serving_openai() as served:
        yield served


@pytest.fixture
async def client(emulator: OpenAIEmulator) -> AsyncIterator[AsyncOpenAI]:
    """Connect the real client to the emulator."""
    async with AsyncOpenAI(base_url=emulator.base_url, api_key="x", max_retries=0) as connected:
        yield connected


async def stream(client: AsyncOpenAI, **extra: Any) -> list[Any]:
    """Return all chunks of a streamed answer."""
    arguments: dict[str, Any] = {"model": "m", "messages": [U], "stream": True, **extra}
    return [chunk async for chunk in await client.chat.completions.create(**arguments)]


async def test_openai_emulator_answers_and_records_the_request(
    client: AsyncOpenAI, emulator: OpenAIEmulator
) -> None:
    """A question gets a text and a usage that adds up, and the request is recorded."""
    answer = await client.chat.completions.create(model="m", messages=[U])
    assert answer.choices[0].message.content
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens
    record = emulator.requests[-1]
    assert record.body == json.loads(record.raw)
    assert record.body["messages"] == [U]
    assert record.headers["Authorization"] == "Bearer x"
    assert (record.finished, record.status, record.refusal) == ("complete", 200, None)


async def test_parallel_calls_and_results(client: AsyncOpenAI) -> None:
    """Tools that the user mentions are called in parallel with unique ids, and their results get a text."""
    answer = await client.chat.completions.create(model="m", messages=[MENTION], tools=TOOLS)
    message: Any = answer.choices[0].message.model_dump(exclude_none=True)
    assert answer.choices[0].finish_reason == "tool_calls"
    assert [entry["function"]["name"] for entry in message["tool_calls"]] == ["grep", "read_file"]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"q": "some q", "n": 1}
    ids = [entry["id"] for entry in message["tool_calls"]]
    assert len(set(ids)) == 2
    history = [MENTION, message, *(tool(id) for id in ids)]
    after = await client.chat.completions.create(model="m", messages=history, tools=TOOLS)
    assert after.choices[0].message.content
    again = await client.chat.completions.create(model="m", messages=[MENTION], tools=TOOLS)
    assert again.choices[0].message.tool_calls
    assert not {entry.id for entry in again.choices[0].message.tool_calls} & set(ids)


@pytest.mark.parametrize(
    ("extra", "names"),
    [
        ({"tool_choice": "none"}, []),
        ({"parallel_tool_calls": False}, ["grep"]),
        ({"tool_choice": {"type": "function", "function": {"name": "unused"}}}, ["unused"]),
    ],
)
async def test_tool_choice_decides_which_tools_are_called(
    client: AsyncOpenAI, extra: Any, names: list[str]
) -> None:
    """The request's tool options decide whether tools are called, and which."""
    answer = await client.chat.completions.create(model="m", messages=[MENTION], tools=TOOLS, **extra)
    called: Any = answer.choices[0].message.tool_calls or []
    assert [entry.function.name for entry in called] == names


async def test_stream_of_text(client: AsyncOpenAI) -> None:
    """A stream has the text of a whole answer in pieces, and the usage if the request asks for it."""
    chunks = await stream(client, stream_options={"include_usage": True})
    texts = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
    assert "".join(texts) == "You wrote 6 characters. This is answer number 1."
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens > 0
    assert all(chunk.usage is None for chunk in chunks[:-1])
    plain = await stream(client)
    assert all(chunk.choices for chunk in plain)


async def test_id_and_name_come_before_the_arguments(client: AsyncOpenAI) -> None:
    """Each call's id and name come before the pieces of its arguments, which add up to JSON."""
    chunks = await stream(client, messages=[MENTION], tools=TOOLS)
    deltas = [entry for chunk in chunks for entry in chunk.choices[0].delta.tool_calls or ()]
    for index, name in enumerate(["grep", "read_file"]):
        first, *others = [entry for entry in deltas if entry.index == index]
        assert (first.function.name, first.function.arguments, bool(first.id)) == (name, "", True)
        assert len(others) > 1
        assert not any(entry.id or entry.function.name for entry in others)
        assert json.loads("".join(entry.function.arguments for entry in others)) == {"q": "some q", "n": 1}
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


async def test_stream_closes_with_done(emulator: OpenAIEmulator) -> None:
    """Every event of a stream is one data line, and the last one is ``[DONE]``."""
    body = {"model": "m", "messages": [U], "stream": True}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{emulator.base_url}/chat/completions", json=body) as response,
    ):
        assert response.content_type == "text/event-stream"
        events = (await response.text()).split("\n\n")
    assert events[-2:] == ["data: [DONE]", ""]
    assert all(json.loads(event.removeprefix("data: ")) for event in events[:-2])


@pytest.mark.parametrize("streaming", [False, True])
async def test_openai_emulator_refuses_an_illegal_history(
    client: AsyncOpenAI, emulator: OpenAIEmulator, streaming: bool
) -> None:
    """An illegal history is refused in OpenAI's envelope, for streams too."""
    messages: Any = [tool("c1"), U]
    with pytest.raises(openai.BadRequestError) as caught:
        await client.chat.completions.create(model="m", messages=messages, stream=streaming)
    assert caught.value.body == {
        "message": ORPHAN,
        "type": "invalid_request_error",
        "param": "messages.[0].role",
        "code": None,
    }
    record = emulator.requests[-1]
    assert record.refusal is not None
    assert (record.status, record.finished) == (400, "complete")


async def test_legal_exchange_is_accepted(client: AsyncOpenAI) -> None:
    """A history with a call and its result is accepted."""
    messages: Any = [U, assistant(calls=[call("c1")]), tool("c1")]
    answer = await client.chat.completions.create(model="m", messages=messages)
    assert answer.choices[0].finish_reason == "stop"


async def test_models_and_unknown_paths(client: AsyncOpenAI, emulator: OpenAIEmulator) -> None:
    """The emulator lists models, and answers another path with a 404 in OpenAI's envelope."""
    assert [model.id async for model in client.models.list()]
    with pytest.raises(openai.NotFoundError) as caught:
        await client.models.retrieve("x")
    assert "Invalid URL (GET /v1/models/x)" in str(caught.value)
    assert not emulator.requests


async def test_scripted_error_answers_one_request(client: AsyncOpenAI, emulator: OpenAIEmulator) -> None:
    """A scripted fault answers one request with its status, message and headers.

    The next request is served.
    """
    emulator.faults.append({"status": 503, "message": "Overloaded.", "headers": {"Retry-After": "7"}})
    with pytest.raises(openai.InternalServerError) as caught:
        await client.chat.completions.create(model="m", messages=[U])
    assert caught.value.status_code == 503
    assert caught.value.response.headers["Retry-After"] == "7"
    assert caught.value.body == {
        "message": "Overloaded.",
        "type": "server_error",
        "param": None,
        "code": None,
    }
    assert (await client.chat.completions.create(model="m", messages=[U])).choices


async def test_scripted_stream_ends_without_a_closing_event(
    client: AsyncOpenAI, emulator: OpenAIEmulator
) -> None:
    """A stream that is scripted to be cut after two events breaks off without a closing event."""
    emulator.faults.append({"cut_after_chunks": 2})
    with pytest.raises(httpx.RemoteProtocolError):
        await stream(client)
    assert await emulator.requests[-1].ended() == "cut"
    assert emulator.requests[-1].chunks_sent == 2


async def test_scripted_answer_closes_the_connection(client: AsyncOpenAI, emulator: OpenAIEmulator) -> None:
    """A request that is scripted to be cut gets a closed connection instead of an answer."""
    emulator.faults.append({"cut_after_chunks": 0})
    with pytest.raises(openai.APIConnectionError):
        await client.chat.completions.create(model="m", messages=[U])
    assert emulator.requests[-1].finished == "cut"


async def test_scripted_200_may_hold_no_json(client: AsyncOpenAI, emulator: OpenAIEmulator) -> None:
    """An answer that is scripted as garbage holds no JSON, whole or streamed."""
    emulator.faults.extend([{"garbage": True}, {"garbage": True}])
    with pytest.raises(json.JSONDecodeError):
        await client.chat.completions.create(model="m", messages=[U])
    with pytest.raises(json.JSONDecodeError):
        await stream(client)


async def test_scripted_text_may_be_empty(client: AsyncOpenAI, emulator: OpenAIEmulator) -> None:
    emulator.faults.append({"text": ""})
    answer = await client.chat.completions.create(model="m", messages=[U])
    assert answer.choices[0].message.content == ""


async def test_scripted_calls_come_behind_results_as_well(
    client: AsyncOpenAI, emulator: OpenAIEmulator
) -> None:
    """The emulator returns scripted calls after tool results as well."""
    emulator.faults.append({"calls": [("grep", {"q": "a"}), ("grep", {"q": "b"})]})
    history: Any = [MENTION, assistant(calls=[call("c1", "grep", "{}")]), tool("c1", "nothing")]
    answer = await client.chat.completions.create(model="m", messages=history, tools=TOOLS)
    made = [call.model_dump() for call in answer.choices[0].message.tool_calls or ()]
    assert answer.choices[0].finish_reason == "tool_calls"
    assert [call["function"]["arguments"] for call in made] == ['{"q": "a"}', '{"q": "b"}']
    assert len({call["id"] for call in made}) == 2


@pytest.mark.parametrize(
    ("streaming", "slow"), [(False, {"delay_seconds": 30}), (True, {"chunk_delay_seconds": 30})]
)
async def test_disconnect_is_recorded(emulator: OpenAIEmulator, streaming: bool, slow: Any) -> None:
    """If a client disconnects, the record of its request says ``disconnected``."""
    emulator.faults.append(slow)
    body = {"model": "m", "messages": [U], "stream": streaming}
    async with aiohttp.ClientSession() as session:
        with pytest.raises(TimeoutError):
            async with (
                asyncio.timeout(0.2),
                session.post(f"{emulator.base_url}/chat/completions", json=body) as response,
            ):
                await response.read()
    assert await emulator.requests[-1].ended() == "disconnected"


async def test_record_is_bounded(emulator: OpenAIEmulator) -> None:
    """The emulator's record of requests is bounded to the last 1000."""
    assert emulator.requests.maxlen == 1000
