"""Tests of Gemini's wire against the emulator over HTTP, with whole answers and streams."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import orjson
import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.json_text import write_json
from proxy.emulator import serving
from proxy.emulator.signatures import verify
from proxy.upstream.wires.gemini import StreamReader, build_request, read_answer
from proxy.upstream.wires.gemini.refusals import read_error
from sanitizers import profile_for
from tests.support.builders import assistant, tool, user

MODELS = ["gemini-2.5-pro", "gemini-3-pro-preview", "gemini-3.6-flash"]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": ["string", "null"]}, "unit": {"enum": ["c", "f"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
TIME = {"type": "function", "function": {"name": "get_time"}}


class Gemini:
    """A client of the Gemini emulator that writes requests and reads answers with the proxy's wire."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session = session
        self._base = base

    async def control(self, path: str, body: dict[str, Any]) -> None:
        """Set the emulator's next answers or faults."""
        async with self._session.post(f"{self._base}/_emulator/{path}", json=body) as response:
            assert response.status == 200

    async def post(self, model: str, method: str, messages: Any, **parameters: Any) -> tuple[int, bytes]:
        """Send the messages, and return the status and the body of the response."""
        body = build_request(messages, parameters, profile_for(f"gemini/{model}"), model)
        url = f"{self._base}/v1beta/models/{model}:{method}"
        async with self._session.post(url, data=write_json(body)) as response:
            return response.status, await response.read()

    async def whole(self, model: str, messages: Any, **parameters: Any) -> dict[str, Any]:
        """Return the whole answer."""
        status, body = await self.post(model, "generateContent", messages, **parameters)
        assert status == 200, body
        return read_answer(orjson.loads(body), model=model)

    async def stream(self, model: str, messages: Any, **parameters: Any) -> list[dict[str, Any]]:
        """Return the chunks of a stream."""
        status, body = await self.post(model, "streamGenerateContent?alt=sse", messages, **parameters)
        assert status == 200, body
        reader = StreamReader(model)
        lines = [line.removeprefix(b"data: ") for line in body.split(b"\r\n") if line]
        return [chunk for line in lines for chunk in reader.feed(orjson.loads(line))] + reader.close()


@pytest.fixture
async def gemini() -> AsyncIterator[Gemini]:
    """Yield a client of a new emulator."""
    async with serving() as base, aiohttp.ClientSession() as session:
        yield Gemini(session, base)


@pytest.mark.parametrize("model", MODELS)
async def test_calls_with_ids_and_signatures_are_sent_back_and_answered(gemini: Gemini, model: str) -> None:
    """The emulator checks the signatures that come back with the calls, and answers."""
    tools = [WEATHER, TIME]
    history = [user("Please use get_weather and get_time.")]

    first = (await gemini.whole(model, history, tools=tools, tool_choice="auto"))["choices"][0]
    calls = first["message"]["tool_calls"]
    history += [assistant(first["message"]["content"], calls), *(tool(call["id"], "fine") for call in calls)]
    second = (await gemini.whole(model, history, tools=tools))["choices"][0]

    assert first["finish_reason"] == "tool_calls"
    assert [call["function"]["name"] for call in calls] == ["get_weather", "get_time"]
    assert ["extra_content" in call for call in calls] == [model != "gemini-2.5-pro", False]
    assert second["finish_reason"] == "stop"
    assert "2 tool results" in second["message"]["content"]


@pytest.mark.parametrize("model", MODELS)
async def test_stream_of_the_emulator_equals_its_whole_answer(gemini: Gemini, model: str) -> None:
    """Text, calls, ids, usage and the finish reason are compared."""
    for prompt in ("Say " + "a few words " * 20, "get_weather twice"):
        whole = await gemini.whole(model, [user(prompt)], tools=[WEATHER])
        chunks = await gemini.stream(model, [user(prompt)], tools=[WEATHER])
        given = [choice["delta"] for chunk in chunks for choice in chunk["choices"]]
        calls = [{k: v for k, v in c.items() if k != "index"} for d in given for c in d.get("tool_calls", [])]
        message = whole["choices"][0]["message"]

        assert "".join(delta.get("content", "") for delta in given) == (message["content"] or "")
        assert calls == message.get("tool_calls", [])
        assert chunks[-2]["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"]
        assert chunks[-1]["usage"] == whole["usage"]
        assert {chunk["id"] for chunk in chunks} == {whole["id"]}


async def test_candidates_of_the_emulator_are_choices(gemini: Gemini) -> None:
    """Each candidate becomes a choice, in whole answers and in streams."""
    whole = await gemini.whole("gemini-2.5-pro", [user("a")], n=2)
    chunks = await gemini.stream("gemini-2.5-pro", [user("a")], n=2)

    assert [choice["index"] for choice in whole["choices"]] == [0, 1]
    assert [choice["finish_reason"] for choice in chunks[-2]["choices"]] == ["stop", "stop"]


@pytest.mark.parametrize("model", MODELS)
async def test_emulator_applies_the_settings(gemini: Gemini, model: str) -> None:
    """A token limit cuts the answer, and a schema makes the answer JSON."""
    cut = await gemini.whole(
        model, [user("Say a good many words.")], max_tokens=2, reasoning_effort="low", stop=["§"]
    )
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    form = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    answer = await gemini.whole(model, [user("Where?")], response_format=form)

    assert cut["choices"][0]["finish_reason"] == "length"
    assert list(orjson.loads(answer["choices"][0]["message"]["content"])) == ["city"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"finish_reason": "MALFORMED_FUNCTION_CALL", "finish_message": "bad call"}, "bad call"),
        ({"finish_reason": "UNEXPECTED_TOOL_CALL"}, "not declared"),
        ({"empty_candidate": True}, "nothing"),
    ],
)
async def test_faulty_end_is_an_error_whole_and_streamed(
    gemini: Gemini, fault: dict[str, Any], words: str
) -> None:
    """A faulty end is an error, although litellm reports ``stop`` for it."""
    await gemini.control("faults", {"faults": [{**fault, "times": 2}]})

    with pytest.raises(UpstreamFault, match=words):
        await gemini.whole("gemini-3.6-flash", [user("a")])
    with pytest.raises(UpstreamFault, match=words):
        await gemini.stream("gemini-3.6-flash", [user("a")])


async def test_stream_without_a_finish_reason_is_a_fault(gemini: Gemini) -> None:
    """A stream without a finish reason is a fault, even if the HTTP response itself ends normally."""
    await gemini.control("faults", {"faults": [{"end_after_chunks": 2}]})

    with pytest.raises(UpstreamFault, match="broke off"):
        await gemini.stream("gemini-3.6-flash", [user("a few words more than two")])


async def test_thought_parts_are_reasoning(gemini: Gemini) -> None:
    """Thought parts become ``reasoning_content``. The text's signature is in ``extra_content``."""
    parts = [{"text": "hm", "thought": True}, {"text": "yes"}]
    await gemini.control("answers", {"answers": [{"parts": parts}]})

    message = (await gemini.whole("gemini-3.6-flash", [user("a")]))["choices"][0]["message"]

    signature = message.pop("extra_content")["google"]["thought_signature"]
    assert message == {"role": "assistant", "content": "yes", "reasoning_content": "hm"}
    assert verify(signature, {"text": "yes"}) is None


async def test_message_of_an_error_is_read_from_its_envelope(gemini: Gemini) -> None:
    """The message is read from Google's error JSON, which the emulator sends."""
    await gemini.control("faults", {"faults": [{"status": 429, "retry_delay_seconds": 7}]})

    status, body = await gemini.post("gemini-3.6-flash", "generateContent", [user("a")])

    assert "retry in 7s" in (read_error(status, body) or "")
