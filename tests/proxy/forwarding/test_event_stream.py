"""Tests of an event stream before its answer begins: comments, held events, and the timer that sends them."""

from __future__ import annotations

import json

import pytest

from tests.proxy.forwarding.attempting import good, refused, text_of
from tests.support.proxied import Proxied, Reply, chat
from tests.support.scripted_upstream import STOP, Pause, ScriptedUpstream, Step, chunk, say

THINKING: list[Step] = [Pause(0.06)] * 5
"""Pauses that together last longer than the time until a keep-alive comment is sent.

Five pauses leave room for one that a stalled machine skips.
"""


async def test_failure_after_keep_alive_comments_is_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure after keep-alive comments is tried again, since comments are no part of an answer."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.1)
    upstream.then(*THINKING, refused(503))
    upstream.then(*THINKING, *good(stream=True), *THINKING)
    reply = await proxy.post(chat(stream=True))

    assert reply.raw.startswith(b": keep-alive\n\n")
    assert reply.raw.count(b": keep-alive\n\n") >= 3
    clean = Reply(reply.status, reply.headers, reply.raw.replace(b": keep-alive\n\n", b""))
    assert text_of(clean) == "fine"


async def test_failure_after_keep_alive_comments_ends_the_stream_with_an_error_event(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure after comments becomes an error event, since the status 200 was sent with the comments."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.1)
    upstream.then(*THINKING, refused(400, "No."))
    reply = await proxy.post(chat(model="long", stream=True))

    assert reply.status == 200
    assert json.loads(reply.raw.split(b"data: ")[1])["error"]["message"] == "No."
    assert b"[DONE]" not in reply.raw


async def test_held_reasoning_is_sent_after_ten_seconds(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After held reasoning was sent, a failure is not tried again, since the client has a part of the answer."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    upstream.then(chunk({"reasoning_content": "Hm."}), *THINKING, refused(503))
    reply = await proxy.post(chat(stream=True))

    assert len(upstream.calls) == 1
    assert reply.events[0]["choices"][0]["delta"]["reasoning_content"] == "Hm."
    assert "error" in reply.events[-1]


async def test_held_reasoning_of_a_failed_attempt_is_discarded_during_the_retry_delay(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed attempt's reasoning is discarded. Otherwise the timer would send it, and no attempt could follow."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.15)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.15)
    slow_down = refused(429, body={"error": {"details": [{"retryDelay": "0.4s"}]}})
    upstream.then(chunk({"reasoning_content": "Hm."}), slow_down)
    upstream.then(chunk({"reasoning_content": "Oh."}), refused(503))
    upstream.then(chunk({"reasoning_content": "Well."}), say("fine"), STOP)
    reply = await proxy.post(chat(stream=True))

    assert reply.raw.startswith(b": keep-alive\n\n")
    clean = Reply(reply.status, reply.headers, reply.raw.replace(b": keep-alive\n\n", b""))
    assert text_of(clean) == "fine"
    thoughts = [c["delta"].get("reasoning_content") for e in clean.events[:-1] for c in e["choices"]]
    assert [thought for thought in thoughts if thought] == ["Well."]
    assert len(upstream.calls) == 3
