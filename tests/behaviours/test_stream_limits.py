"""Tests the time limits of streams: the first byte, silence, and the deadline."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.proxied import MODEL, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, say

pytestmark = LITELLM_NOISE


LIMITS = {"timeout": 60.0, "first_byte_timeout": 30.0, "idle_timeout": 30.0}
SLOW_S = 20.0
"""Seconds that a limit of one second may take on a busy machine.

The limits that are not tested are longer.
"""


async def timed(upstream: ScriptedUpstream, body: Any, **limits: float) -> tuple[Reply, float]:
    """Send a request under these limits. Return the reply and the seconds that it took."""
    async with proxied(settings_of(router_settings={**LIMITS, **limits}), upstream) as proxy:
        start = time.monotonic()
        reply = await proxy.post(body)
        took = time.monotonic() - start
    return reply, took


async def test_provider_that_does_not_begin_is_a_504(upstream: ScriptedUpstream) -> None:
    """A provider that does not begin in time is a 504, and its call is ended."""
    upstream.then(HANG)
    reply, took = await timed(upstream, chat(stream=True), first_byte_timeout=0.2)

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
    assert 0.2 <= took < SLOW_S
    assert await upstream.exchanges[0].ended() == "failed"


async def test_stream_that_stops_in_the_middle_ends_at_the_idle_timeout(upstream: ScriptedUpstream) -> None:
    """A provider that falls silent in mid-stream causes an error event at the idle timeout.

    Each chunk restarts the limit.
    """
    upstream.then(*[step for _ in range(7) for step in (say("x"), Pause(0.3))], HANG)
    reply, took = await timed(upstream, chat(stream=True), idle_timeout=1.8, first_byte_timeout=1.0)

    assert reply.status == 200
    assert len(reply.events) == 8
    assert reply.events[-1]["error"]["code"] == "upstream_timeout"
    assert 2.1 + 1.8 <= took < SLOW_S
    assert await upstream.exchanges[0].ended() == "failed"


async def test_chunks_that_say_nothing_do_not_begin(upstream: ScriptedUpstream) -> None:
    """The idle limit starts with the first chunk that the client sees."""
    upstream.then({"choices": []}, Pause(0.3), say("x"), STOP)
    reply, _ = await timed(upstream, chat(stream=True), idle_timeout=0.1, first_byte_timeout=30)

    assert reply.events[-1] == "[DONE]"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_endless_stream_ends_at_the_deadline(upstream: ScriptedUpstream, stream: bool) -> None:
    """A call to a provider that never finishes is ended at the deadline."""
    steps = [step for _ in range(1000) for step in (say("x"), Pause(0.05))]
    upstream.then(*(steps if stream else [HANG]))
    reply, took = await timed(upstream, chat(stream=stream), timeout=0.4)

    error = reply.events[-1]["error"] if stream else reply.error
    assert reply.status == (200 if stream else 504)
    assert error["code"] == "upstream_timeout"
    assert 0.4 <= took < SLOW_S
    assert await upstream.exchanges[0].ended() in ("cancelled", "closed", "failed")


async def test_deployment_may_have_a_shorter_timeout_than_the_router(upstream: ScriptedUpstream) -> None:
    upstream.then(HANG)
    settings = settings_of({MODEL: {"model": "openai/gpt-4.1", "timeout": 0.2}}, router_settings=LIMITS)
    async with proxied(settings, upstream) as proxy:
        reply = await proxy.post(chat())

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")
