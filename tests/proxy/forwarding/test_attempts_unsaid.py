"""One request's attempts while nothing was said: empty answers, thoughts that are held back, heartbeats."""

from __future__ import annotations

import json

import pytest

from proxy.config import Settings
from proxy.core.errors import UpstreamUnreachable
from tests.proxy.forwarding.attempting import PRIMARY, good, models, refused, settings_with_fallbacks, text_of
from tests.support.proxied import Proxied, Reply, chat, proxied
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, Step, answer, chunk, say

THINKING: list[Step] = [Pause(0.06)] * 5
"""Longer than the client waits without a sign; in parts, so that a machine that stands still skips one of them."""


@pytest.fixture
def settings() -> Settings:
    """Return settings that retry, on one model with fallbacks, and a pool of two."""
    return settings_with_fallbacks()


EMPTY = answer("", reasoning_content="")
THOUGHTS = answer(None, reasoning_content="Hm.")


@pytest.mark.parametrize(
    "empty", [answer(""), answer(" \n"), answer(None), THOUGHTS, {"choices": []}], ids=repr
)
async def test_an_empty_answer_is_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream, empty: Step
) -> None:
    """Gemini's glitch is not the model's last word."""
    upstream.then(empty)
    upstream.then(answer("fine"))

    assert text_of(await proxy.post(chat())) == "fine"
    assert len(upstream.calls) == 2


async def test_empty_for_good_is_an_error(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Never an empty stop: a client would take it for an answer."""
    for _ in range(6):
        upstream.then(answer(""))
    reply = await proxy.post(chat())

    assert models(upstream) == [PRIMARY] * 3 + ["gpt-4.1"]
    assert text_of(reply) == "", "another family may have nothing to add"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_ends_that_need_no_words(proxy: Proxied, upstream: ScriptedUpstream, reason: str) -> None:
    """The tokens went into thoughts, or it was filtered: another try would end alike."""
    cut = answer("")
    cut["choices"][0]["finish_reason"] = reason
    upstream.then(cut)
    upstream.then(chunk({"content": ""}), chunk(finish=reason))
    whole, streamed = await proxy.post(chat()), await proxy.post(chat(stream=True))

    assert whole.json["choices"][0]["finish_reason"] == reason
    assert streamed.events[-2]["choices"][0]["finish_reason"] == reason
    assert len(upstream.calls) == 2


HELD: dict[str, list[Step]] = {
    "nothing": [],
    "role": [chunk({"role": "assistant", "content": ""}), STOP],
    "blank": [say(" "), STOP],
    "thoughts": [chunk({"reasoning_content": "Hm."}), STOP],
    "thoughts, broken": [chunk({"reasoning_content": "Hm."}), UpstreamUnreachable("Broke.")],
    "silence": [HANG],
}


@pytest.mark.parametrize("steps", HELD.values(), ids=HELD)
async def test_what_says_nothing_is_held_back(upstream: ScriptedUpstream, steps: list[Step]) -> None:
    """A stream's beginning is not shown until it is an answer; what was held is not shown twice."""
    upstream.then(*steps)
    upstream.then(chunk({"reasoning_content": "Well."}), say("fine"), STOP)
    limits = {"first_byte_timeout": 0.3} if HANG in steps else {}
    async with proxied(settings_with_fallbacks(**limits), upstream) as proxy:
        reply = await proxy.post(chat(stream=True))

    assert text_of(reply) == "fine"
    thoughts = [c["delta"].get("reasoning_content") for e in reply.events[:-1] for c in e["choices"]]
    assert [thought for thought in thoughts if thought] == ["Well."]
    assert reply.headers["x-turnright-attempts"] == "2"


async def test_nothing_is_tried_again_once_something_was_said(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Nobody gets a text twice: the stream ends with an error event."""
    upstream.then(say("half "), UpstreamUnreachable("It broke."))
    reply = await proxy.post(chat(stream=True))

    assert len(upstream.calls) == 1
    assert [event.get("error", {}).get("code") for event in reply.events] == [None, "upstream_unreachable"]


async def test_retries_behind_heartbeats_are_not_seen(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A provider that thinks for long does not look dead; what fails meanwhile is still tried again unseen."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.1)
    upstream.then(*THINKING, refused(503))
    upstream.then(*THINKING, *good(stream=True), *THINKING)
    reply = await proxy.post(chat(stream=True))

    assert reply.raw.startswith(b": keep-alive\n\n")
    assert reply.raw.count(b": keep-alive\n\n") >= 3
    clean = Reply(reply.status, reply.headers, reply.raw.replace(b": keep-alive\n\n", b""))
    assert text_of(clean) == "fine"


async def test_an_error_behind_heartbeats(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The status has gone out by then: the failure is the stream's last event."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    monkeypatch.setattr("proxy.forwarding.event_stream.KEEP_ALIVE_S", 0.1)
    upstream.then(*THINKING, refused(400, "No."))
    reply = await proxy.post(chat(model="long", stream=True))

    assert reply.status == 200
    assert json.loads(reply.raw.split(b"data: ")[1])["error"]["message"] == "No."
    assert b"[DONE]" not in reply.raw


async def test_held_thoughts_go_out_in_time(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After ten seconds a client sees what the model thinks, and from then on nothing is tried again."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", 0.1)
    upstream.then(chunk({"reasoning_content": "Hm."}), *THINKING, refused(503))
    reply = await proxy.post(chat(stream=True))

    assert len(upstream.calls) == 1
    assert reply.events[0]["choices"][0]["delta"]["reasoning_content"] == "Hm."
    assert "error" in reply.events[-1]


async def test_held_thoughts_end_with_their_attempt(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a failed attempt thought is not sent while the next one is waited for, and so the next one is made."""
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
