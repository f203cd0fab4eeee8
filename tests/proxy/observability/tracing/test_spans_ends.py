"""Tests the ends of spans: failures, breaks, and clients that leave."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest
from opentelemetry.trace import StatusCode

from proxy.core.errors import UpstreamFault, UpstreamUnreachable
from proxy.forwarding import read_failure
from proxy.forwarding.chat.request_repairs import RequestRepairs
from tests.proxy.forwarding.attempting import BOTH, good, refused
from tests.proxy.observability.tracing.read_spans import Spans, attributes
from tests.support.proxied import CHAT, Proxied, chat
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, chunk, say


async def test_a_span_ends_with_its_stream(traced: Proxied, upstream: ScriptedUpstream, spans: Spans) -> None:
    """A span ends with its stream, and not before."""
    upstream.then(say("Good "), Pause(0.3), say("day."), STOP)
    async with traced.session.post(traced.origin + CHAT, json=chat(stream=True)) as response:
        await response.content.readline()
        assert spans.all == ()
        await response.read()
    await traced.idle()

    [attempt] = spans.attempts
    assert attempt.end_time is not None
    assert attempt.start_time is not None
    assert attempt.end_time - attempt.start_time >= 0.3e9
    assert attributes(attempt)["gen_ai.response.time_to_first_chunk"] < 0.2


async def test_spans_of_a_broken_stream_keep_its_attributes(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """A stream that breaks is an error of the attempt and of the request, after a status 200."""
    upstream.then(say("Good "), UpstreamUnreachable("x"))
    reply = await traced.post(chat(stream=True))

    assert reply.status == 200
    [attempt] = spans.attempts
    assert attributes(attempt)["error.type"] == "unreachable"
    assert attributes(attempt)["turnright.then"] == "give_up"
    assert attributes(attempt)["gen_ai.response.model"] == "scripted"
    assert attributes(spans.request)["error.type"] == "upstream_unreachable"
    assert spans.request.status.status_code is StatusCode.ERROR


async def test_empty_answer_is_a_failed_attempt(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans
) -> None:
    """An empty answer is a failed attempt, even though its status was 200."""
    upstream.then(chunk(finish="stop"))
    upstream.then(*good(stream=True))
    await traced.post(chat(stream=True))

    one, two = spans.attempts
    assert attributes(one)["error.type"] == "empty"
    assert attributes(one)["gen_ai.response.finish_reasons"] == ("stop",)
    assert attributes(two)["turnright.outcome"] == "ok"


@BOTH
async def test_spans_of_a_client_that_left_end_without_an_error(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, stream: bool
) -> None:
    """The spans of a client that left end at once, as cancelled, and without an error."""
    upstream.then(HANG)
    with pytest.raises(asyncio.TimeoutError):
        await traced.request("POST", CHAT, json=chat(stream=stream), timeout=aiohttp.ClientTimeout(0.1))
    await traced.idle()

    [attempt] = spans.attempts
    assert attributes(attempt)["turnright.outcome"] == "cancelled"
    said = attributes(spans.request)
    assert said["turnright.outcome"] == "client_disconnected"
    assert "http.response.status_code" not in said
    assert {span.status.status_code for span in spans.all} == {StatusCode.UNSET}
    assert not any("error.type" in attributes(span) for span in spans.all)


async def test_failed_attempt_keeps_its_end_where_the_client_leaves_during_a_repair(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def repair_for_ever(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(RequestRepairs, "repair", repair_for_ever)
    upstream.then(UpstreamFault("Bad history.", upstream_status=400))
    with pytest.raises(asyncio.TimeoutError):
        await traced.request("POST", CHAT, json=chat(), timeout=aiohttp.ClientTimeout(0.1))
    await traced.idle()

    [attempt] = spans.attempts
    assert attributes(attempt)["turnright.outcome"] == "invalid_request"
    assert attributes(spans.request)["turnright.outcome"] == "client_disconnected"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_attempt_is_cancelled_once_where_the_client_leaves_while_its_error_is_read(
    traced: Proxied, upstream: ScriptedUpstream, spans: Spans, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:

    async def read_for_ever(*_: object) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(read_failure, "run_offloaded", read_for_ever)
    upstream.then(refused(503))
    with pytest.raises(asyncio.TimeoutError):
        await traced.request("POST", CHAT, json=chat(stream=stream), timeout=aiohttp.ClientTimeout(0.2))
    await traced.idle()

    [attempt] = spans.attempts
    counts = {
        dict(labels)["outcome"]: count
        for (name, labels), count in (await traced.metrics()).items()
        if name == "turnright_upstream_attempts_total" and count
    }
    assert attributes(attempt)["turnright.outcome"] == "cancelled"
    assert counts == {"cancelled": 1}
