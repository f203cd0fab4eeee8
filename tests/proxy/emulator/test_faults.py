"""Scripted faults and answers, and what the control endpoints take."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import aiohttp
import pytest

from proxy.emulator.errors import STATUSES
from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V2_5, V3, body, text, user

PROMPT = body(user(text("one two three four five six seven")))
PATH = f"/v1beta/models/{V2_5}:generateContent"
STREAM = f"/v1beta/models/{V2_5}:streamGenerateContent?alt=sse"


async def events(client: Client, path: str = STREAM) -> list[dict[str, Any]]:
    """Return the events of a stream."""
    async with client.session.post(client.base + path, json=PROMPT) as response:
        raw = (await response.read()).decode()
    return [json.loads(line.removeprefix("data: ")) for line in raw.split("\r\n\r\n") if line]


async def gather(response: aiohttp.ClientResponse, got: list[bytes]) -> None:
    """Read *response* to its end, or to its error, into *got*."""
    async for data in response.content.iter_any():
        got.append(data)


@pytest.mark.parametrize("status", sorted(STATUSES))
async def test_scripted_status_comes_once_with_googles_name(emulator: Client, status: int) -> None:
    """A status comes with Google's name and text, once."""
    await emulator.fault(status=status)

    code, answer = await emulator.post(PATH, PROMPT)
    assert code == status
    assert answer["error"] == {
        "code": status,
        "status": STATUSES[status].name,
        "message": STATUSES[status].message,
    }
    assert (await emulator.post(PATH, PROMPT))[0] == 200


async def test_quota_fault_has_its_details(emulator: Client) -> None:
    """A 429 carries ``QuotaFailure``, ``RetryInfo`` and the wait in its text."""
    quota = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
    await emulator.fault(status=429, retry_delay_seconds=45.5, quota_id=quota, reason="RATE_LIMIT_EXCEEDED")

    error = (await emulator.post(PATH, PROMPT))[1]["error"]
    info, failure, retry = error["details"]
    assert error["message"].endswith(f"limit: 0, model: {V2_5}\nPlease retry in 45.5s.")
    assert info["reason"] == "RATE_LIMIT_EXCEEDED"
    assert failure["violations"][0]["quotaId"] == quota
    assert retry == {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45.5s"}


async def test_message_of_a_fault(emulator: Client) -> None:
    """A fault's own message replaces the default."""
    await emulator.fault(status=500, message="Internal error encountered.")

    assert (await emulator.post(PATH, PROMPT))[1]["error"]["message"] == "Internal error encountered."


async def test_faults_are_consumed_in_order(emulator: Client) -> None:
    """Faults are taken in order, each as often as it says, and only by the model that it names."""
    await emulator.fault(model=V3, status=504)
    await emulator.fault(times=2, status=503)
    await emulator.fault(times=1)
    await emulator.fault(status=500)

    assert [(await emulator.post(PATH, PROMPT))[0] for _ in range(5)] == [503, 503, 200, 500, 200]
    assert (await emulator.get("/_emulator/faults"))[1] == {
        "faults": [{"model": V3, "times": 1, "status": 504}]
    }
    assert await emulator.delete("/_emulator/faults") == 200
    assert (await emulator.get("/_emulator/faults"))[1] == {"faults": []}


async def test_delay_comes_before_the_answer(emulator: Client) -> None:
    """A delay goes together with any other effect."""
    await emulator.fault(delay_seconds=0.1, status=503)

    start = time.monotonic()
    assert (await emulator.post(PATH, PROMPT))[0] == 503
    assert time.monotonic() - start >= 0.1


async def test_cut_stream_loses_its_connection(emulator: Client) -> None:
    """A cut stream ends in a broken connection after the chunks that were asked for."""
    await emulator.fault(cut_after_chunks=2)

    got: list[bytes] = []
    async with emulator.session.post(emulator.base + STREAM, json=PROMPT) as response:
        with pytest.raises(aiohttp.ClientError):
            await gather(response, got)
    assert b"".join(got).count(b"data: ") == 2
    assert (await emulator.journal())[0]["finished"] == "dropped"


async def test_cut_answer_stops_in_the_middle(emulator: Client) -> None:
    """An answer that is not streamed is cut in half."""
    await emulator.fault(cut_after_chunks=0)

    with pytest.raises(aiohttp.ClientPayloadError):
        await emulator.post(PATH, PROMPT)


async def test_ended_stream_has_no_finish_reason(emulator: Client) -> None:
    """A stream that ends early does so cleanly, without a finish reason."""
    await emulator.fault(end_after_chunks=2)

    got = await events(emulator)
    assert len(got) == 2
    assert not any("finishReason" in event["candidates"][0] for event in got)
    assert (await emulator.journal())[0]["finished"] == "complete"


async def test_scripted_stream_may_end_before_its_first_chunk(emulator: Client) -> None:
    """A stream may end before its first chunk, in both framings."""
    await emulator.fault(times=2, end_after_chunks=0)

    assert await events(emulator) == []
    assert await emulator.post(STREAM.removesuffix("?alt=sse"), PROMPT) == (200, [])


async def test_reset_comes_before_any_byte(emulator: Client) -> None:
    """A reset drops the connection without an answer."""
    await emulator.fault(reset=True)

    with pytest.raises(aiohttp.ClientError):
        await emulator.post(PATH, PROMPT)


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "SAFETY", "UNEXPECTED_TOOL_CALL"])
async def test_finish_reason_fault(emulator: Client, reason: str) -> None:
    """A finish reason comes as a 200 without parts, streamed or not."""
    await emulator.fault(times=2, finish_reason=reason, finish_message="why")

    candidate = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    assert candidate == {
        "content": {"role": "model"},
        "finishReason": reason,
        "finishMessage": "why",
        "index": 0,
    }
    assert [event["candidates"][0] for event in await events(emulator)] == [candidate]


async def test_empty_candidate_and_garbage(emulator: Client) -> None:
    """A candidate may come without parts, and a 200 without JSON."""
    await emulator.fault(empty_candidate=True)
    await emulator.fault(garbage=True)

    candidate = (await emulator.post(PATH, PROMPT))[1]["candidates"][0]
    assert candidate == {"content": {"role": "model"}, "finishReason": "STOP", "index": 0}
    async with emulator.session.post(emulator.base + PATH, json=PROMPT) as response:
        assert (response.status, response.content_type) == (200, "text/html")


async def until_finished(client: Client) -> str:
    """Return how the newest request ended, once it has."""
    for _ in range(100):
        finished: str = (await client.journal())[-1]["finished"]
        if finished != "running":
            return finished
        await asyncio.sleep(0.01)
    return "running"


async def test_disconnect_during_a_stream(emulator: Client) -> None:
    """A client that leaves in mid-stream is noticed at once."""
    await emulator.fault(chunk_delay_seconds=30)

    async with emulator.session.post(emulator.base + STREAM, json=PROMPT) as response:
        await response.content.readany()
        assert (await emulator.journal())[-1]["finished"] == "running"
        response.close()

    assert await until_finished(emulator) == "disconnected"


async def test_disconnect_before_the_answer(emulator: Client) -> None:
    """A client that gives up while it waits for the answer is noticed at once."""
    await emulator.fault(delay_seconds=30)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await emulator.post(PATH, PROMPT)

    assert await until_finished(emulator) == "disconnected"


async def test_scripted_answers_are_given_in_order(emulator: Client) -> None:
    """Scripted answers are given in order, in either spelling, with the signature that generation 3 has."""
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
    assert third["content"]["parts"][0]["text"].startswith("You said")


async def test_answers_can_be_forgotten(emulator: Client) -> None:
    """Deleted answers are not given, and a refused request takes none."""
    await emulator.post("/_emulator/answers", {"answers": [{"parts": [{"text": "scripted"}]}] * 2})

    assert (await emulator.post(PATH, {}))[0] == 400
    assert (await emulator.post(PATH, PROMPT))[1]["candidates"][0]["content"]["parts"] == [
        {"text": "scripted"}
    ]
    assert await emulator.delete("/_emulator/answers") == 200
    assert (await emulator.post(PATH, PROMPT))[1]["candidates"][0]["content"]["parts"] != [
        {"text": "scripted"}
    ]


@pytest.mark.parametrize(
    ("path", "given", "message"),
    [
        ("faults", [], 'the body must be {"faults": [...]}'),
        ("faults", {"faults": {}}, 'the body must be {"faults": [...]}'),
        ("faults", {"faults": [1]}, "faults[0]: must be an object"),
        (
            "faults",
            {"faults": [{}, {"status": 200}]},
            "faults[1].status: must be a whole number from 400 to 599",
        ),
        ("faults", {"faults": [{"times": 0}]}, "faults[0].times: must be a whole number from 1 to 1000000"),
        ("faults", {"faults": [{"reset": 1}]}, "faults[0].reset: must be true or false"),
        ("faults", {"faults": [{"model": ""}]}, "faults[0].model: must be a text that is not empty"),
        (
            "faults",
            {"faults": [{"delay_seconds": -1}]},
            "faults[0].delay_seconds: must be a number of seconds from 0 to 3600",
        ),
        (
            "faults",
            {"faults": [{"status": 500, "reset": True}]},
            "faults[0]: status and reset exclude each other",
        ),
        ("faults", {"faults": [{"message": "x"}]}, "faults[0].message: needs status"),
        ("faults", {"faults": [{}] * 1001}, "the queue would hold more than 1000 entries"),
        ("answers", {"answers": [{}]}, "answers[0].parts: is missing"),
        (
            "answers",
            {"answers": [{"parts": "x"}]},
            "answers[0].parts: known are parts (a list), finishReason, finishMessage (texts)",
        ),
        (
            "answers",
            {"answers": [{"parts": [{"foo": 1}]}]},
            "answers[0]: Invalid JSON payload received. Unknown name \"foo\" at 'parts[0]': Cannot find field.",
        ),
    ],
)
async def test_control_body_is_checked(emulator: Client, path: str, given: Any, message: str) -> None:
    """A control body that cannot be used is a 400 that names the field."""
    status, answer = await emulator.post(f"/_emulator/{path}", given)

    assert (status, answer["error"]["message"]) == (400, message)


async def test_unknown_fault_field_is_named(emulator: Client) -> None:
    """An unknown field of a fault is refused with the known ones."""
    status, answer = await emulator.post("/_emulator/faults", {"faults": [{"probability": 0.5}]})

    assert status == 400
    assert answer["error"]["message"].startswith(
        "faults[0].probability: unknown field; known are model, times,"
    )
