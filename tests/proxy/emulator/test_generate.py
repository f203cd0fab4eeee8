"""Tests of generateContent: bodies, streams, and the effects of faults and scripted answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from proxy.emulator.errors import ErrorOptions, error_body, status_error
from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V2_5, V3, body, function, text, tools, user

PROMPT = body(user(text("one two three four five six seven")))
PATH = f"/v1beta/models/{V2_5}:generateContent"
STREAM = f"/v1beta/models/{V2_5}:streamGenerateContent?alt=sse"


CALLING = body(user(text("call f and f")), tools=tools(function()))


async def gather(response: aiohttp.ClientResponse, got: list[bytes]) -> None:
    """Add the data of *response* to *got*, until its end or an error."""
    async for data in response.content.iter_any():
        got.append(data)


async def test_fault_decides_every_part_of_the_error(emulator: Client) -> None:
    """A fault sets every part of the error, and the next request is answered as usual."""
    own: dict[str, Any] = {"message": "Own.", "reason": "R", "retry_delay_seconds": 2.0, "quota_id": "q"}
    await emulator.fault(status=429, **own)

    assert await emulator.post(PATH, PROMPT) == (
        429,
        error_body(status_error(429, ErrorOptions(**own, model=V2_5))),
    )
    assert (await emulator.post(PATH, PROMPT))[0] == 200


async def test_delay_comes_before_the_answer(emulator: Client) -> None:
    """A fault's delay comes before its answer."""
    await emulator.fault(delay_seconds=0.1, status=503)

    answering = asyncio.ensure_future(emulator.post(PATH, PROMPT))
    done, _ = await asyncio.wait([answering], timeout=0.05)
    assert not done
    assert (await answering)[0] == 503


async def test_cut_stream_ends_in_a_broken_connection(emulator: Client) -> None:
    """A cut stream ends in a broken connection after the fault's number of chunks."""
    await emulator.fault(cut_after_chunks=2)

    got: list[bytes] = []
    async with emulator.session.post(emulator.base + STREAM, json=PROMPT) as response:
        with pytest.raises(aiohttp.ClientError):
            await gather(response, got)
    assert b"".join(got).count(b"data: ") == 2
    assert (await emulator.journal())[0]["finished"] == "dropped"


async def test_cut_answer_stops_in_the_middle(emulator: Client) -> None:
    """A cut answer breaks off before all announced bytes are sent."""
    await emulator.fault(cut_after_chunks=0)

    with pytest.raises(aiohttp.ClientPayloadError):
        await emulator.post(PATH, PROMPT)


async def test_ended_stream_has_no_finish_reason(emulator: Client) -> None:
    """A stream with ``end_after_chunks`` ends properly, but without a finish reason."""
    await emulator.fault(end_after_chunks=2)

    got = await read_events(emulator)
    assert len(got) == 2
    assert not any("finishReason" in event["candidates"][0] for event in got)
    assert (await emulator.journal())[0]["finished"] == "complete"


async def test_scripted_stream_may_end_before_its_first_chunk(emulator: Client) -> None:
    """A stream may end before its first chunk, with a valid framing."""
    await emulator.fault(times=2, end_after_chunks=0)

    assert await read_events(emulator) == []
    assert await emulator.post(STREAM.removesuffix("?alt=sse"), PROMPT) == (200, [])


async def test_reset_comes_before_any_byte(emulator: Client) -> None:
    """A reset breaks the connection before any byte is sent."""
    await emulator.fault(reset=True)

    with pytest.raises(aiohttp.ClientError):
        await emulator.post(PATH, PROMPT)


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "SAFETY", "UNEXPECTED_TOOL_CALL"])
async def test_scripted_finish_reason_comes_without_parts(emulator: Client, reason: str) -> None:
    """A scripted finish reason comes in an answer without parts, streamed or not."""
    await emulator.fault(times=2, finish_reason=reason, finish_message="why")

    candidate = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    assert candidate == {
        "content": {"role": "model"},
        "finishReason": reason,
        "finishMessage": "why",
        "index": 0,
    }
    assert [event["candidates"][0] for event in await read_events(emulator)] == [candidate]


async def test_answer_may_have_no_parts_or_be_no_json(emulator: Client) -> None:
    """An answer with status 200 may have no parts or be no JSON."""
    await emulator.fault(empty_candidate=True)
    await emulator.fault(garbage=True)

    candidate = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    assert candidate == {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}
    async with emulator.session.post(emulator.base + PATH, json=PROMPT) as response:
        assert (response.status, response.content_type) == (200, "text/html")


async def test_scripted_answers_are_given_in_order(emulator: Client) -> None:
    """Scripted answers are given in order, in either spelling. From generation 3 on, a call gets a signature."""
    answers = [
        {"parts": [{"text": "hello there"}]},
        {
            "parts": [{"function_call": {"name": "f", "args": {"x": 1}}}],
            "finishReason": "MALFORMED_FUNCTION_CALL",
        },
    ]
    assert await emulator.post("/_emulator/answers", {"answers": answers}) == (200, {"queued": 2})

    first = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    second = (await emulator.post(PATH.replace(V2_5, V3), PROMPT))[1]["candidates"][0]
    third = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    assert first["content"]["parts"] == [{"text": "hello there"}]
    assert second["finishReason"] == "MALFORMED_FUNCTION_CALL"
    assert set(second["content"]["parts"][0]) == {"functionCall", "thoughtSignature"}
    assert third["content"]["parts"][0]["text"].startswith("I read")


async def read_events(client: Client) -> list[dict[str, Any]]:
    """Return the events of a stream, after checking that each is ``data: {...}`` and an empty line."""
    async with client.session.post(client.base + STREAM, json=PROMPT) as response:
        assert response.content_type == "text/event-stream"
        *events, rest = (await response.read()).decode().split("\r\n\r\n")
    assert rest == ""
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    return [json.loads(event.removeprefix("data: ")) for event in events]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"{", "Invalid JSON payload received. Unexpected token."),
        (b'{"contents": NaN}', "Invalid JSON payload received. Unexpected token."),
        (b"", "* GenerateContentRequest.contents: contents is not specified\n"),
    ],
)
async def test_body_that_is_not_json_is_refused_and_recorded_as_null(
    emulator: Client, data: bytes, message: str
) -> None:
    """A body that is no JSON is refused and recorded as null; an empty body is read as an empty object."""
    url = f"{emulator.base}/v1beta/models/{V3}:generateContent"
    async with emulator.session.post(url, data=data) as response:
        assert (response.status, (await response.json())["error"]["message"]) == (400, message)

    assert (await emulator.journal())[0]["body"] is None


async def test_stream_with_alt_sse_is_a_list_of_events(emulator: Client) -> None:
    """With ``alt=sse`` a stream is a list of events, and the last event has the finish reason and the usage."""
    events = await read_events(emulator)

    texts = [event["candidates"][0]["content"]["parts"][0]["text"] for event in events]
    assert len(texts) > 2
    assert "".join(texts) == 'I read your message: "one two three four five six seven"'
    assert ["finishReason" in event["candidates"][0] for event in events] == [False] * (len(events) - 1) + [
        True
    ]
    assert "totalTokenCount" in events[-1]["usageMetadata"]
    assert len({event["responseId"] for event in events}) == 1


async def test_stream_without_alt_is_a_json_array(emulator: Client) -> None:
    """Without ``alt=sse`` a stream is one JSON array of chunks."""
    status, items = await emulator.post(f"/v1beta/models/{V3}:streamGenerateContent", CALLING)

    assert status == 200
    parts = [item["candidates"][0]["content"]["parts"][0] for item in items]
    assert [part.get("functionCall", {}).get("name") for part in parts] == ["f", "f", None]
    assert ["thoughtSignature" in part for part in parts] == [True, False, False]


async def test_refused_stream_is_an_error_and_no_stream(emulator: Client) -> None:
    """A refused stream gets the error as JSON and no stream."""
    status, answer = await emulator.post(f"/v1beta/models/{V3}:streamGenerateContent?alt=sse", {})

    assert (status, answer["error"]["status"]) == (400, "INVALID_ARGUMENT")
