"""Tests of streams of text completions: the shape of chunks, the ends of streams, and retries."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.forwarding import event_stream
from tests.proxy.forwarding.attempting import refused
from tests.proxy.forwarding.text.asking import COMPLETIONS, body_for, models, written
from tests.support.proxied import Proxied
from tests.support.scripted_upstream import Pause, ScriptedUpstream

STREAM = body_for(COMPLETIONS, stream=True)
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
BROKEN = UpstreamFault("Half.", cause=Cause.TRUNCATED)


def say(text: str, **fields: Any) -> dict[str, Any]:
    """Build a chunk of text."""
    return written(text, None, **fields)


END = written("", "stop")


def text_in(events: list[Any]) -> str:
    """Return the text of a complete stream."""
    assert events[-1] == "[DONE]"
    return "".join(choice["text"] for event in events[:-1] for choice in event["choices"])


async def test_text_chunks_have_one_shape(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Missing fields are added, unknown fields are left out, and all chunks have the same id."""
    upstream.then(
        {"choices": [{"index": 0, "text": "Good ", "finish_reason": None, "token_ids": [1]}], "kv": 1},
        {"id": "other", "choices": [{"index": 0, "text": "day.", "finish_reason": None}]},
        END,
    )
    reply = await proxy.post(STREAM, COMPLETIONS)
    *chunks, done = reply.events

    assert reply.headers["Content-Type"] == "text/event-stream; charset=utf-8"
    assert reply.headers["x-turnright-model"] == "openai/first"
    assert done == "[DONE]"
    assert {tuple(chunk) for chunk in chunks} == {("id", "object", "created", "model", "choices")}
    assert len({(chunk["id"], chunk["created"], chunk["model"]) for chunk in chunks}) == 1
    assert chunks[0]["id"].startswith("cmpl-")
    assert chunks[0]["choices"] == [{"text": "Good ", "index": 0, "logprobs": None, "finish_reason": None}]


@pytest.mark.parametrize("asked", [False, True])
async def test_usage_of_a_text_stream_is_counted_and_sent_where_asked_for(
    proxy: Proxied, upstream: ScriptedUpstream, asked: bool
) -> None:
    """The proxy asks the provider for the usage only where the client asked for it."""
    upstream.then(say("a", usage={**USAGE, "completion_tokens": 1}), END, {"choices": [], "usage": USAGE})
    options = {"stream_options": {"include_usage": True}} if asked else {}
    events = (await proxy.post({**STREAM, **options}, COMPLETIONS)).events

    assert upstream.plain_calls[0].ask_usage is asked
    assert [event["usage"] for event in events[:-1] if "usage" in event] == ([USAGE] if asked else [])
    assert await proxy.count("tokens_total", type="output") == 2


async def test_text_stream_that_fails_before_its_first_text_is_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A text stream that fails before its first text is tried again, and its blank chunks are discarded."""
    upstream.then(say("", id="forgotten"), BROKEN)
    upstream.then(refused(503))
    upstream.then(say("fine"), END)
    reply = await proxy.post(STREAM, COMPLETIONS)

    assert text_in(reply.events) == "fine"
    assert b"forgotten" not in reply.raw
    assert models(upstream) == ["first", "first", "second"]
    assert reply.headers["x-turnright-attempts"] == "3"


async def test_error_before_a_text_stream_keeps_its_status(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The client gets the provider's status and message, since the stream has not begun."""
    upstream.then(refused(400, "No."))
    upstream.then(refused(400, "No."))
    reply = await proxy.post(STREAM, COMPLETIONS)

    assert (reply.status, reply.error["message"]) == (400, "No.")


@pytest.mark.parametrize("steps", [[say("a"), BROKEN], [say("a")]], ids=["an error", "no end"])
async def test_text_stream_that_breaks_ends_with_an_error_event(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any]
) -> None:
    """A text stream that breaks after its first text ends with an error event, and is not retried."""
    upstream.then(*steps)
    events = (await proxy.post(STREAM, COMPLETIONS)).events
    await proxy.idle()

    assert events[0]["choices"][0]["text"] == "a"
    assert events[-1]["error"]["code"] == "upstream_error"
    assert len(upstream.plain_calls) == 1
    assert await proxy.count("requests_total", route=COMPLETIONS, outcome="upstream_error") == 1


async def test_text_stream_without_an_end_is_tried_again(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A stream without a finish reason is tried again. A stream with a finish reason but no text is an answer."""
    upstream.then({"choices": []})
    upstream.then(END)
    events = (await proxy.post(STREAM, COMPLETIONS)).events

    assert text_in(events) == ""
    assert len(upstream.plain_calls) == 2


async def test_text_stream_is_kept_alive_by_comments(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent text stream is kept alive by comments, since load balancers would close the connection."""
    monkeypatch.setattr(event_stream, "KEEP_ALIVE_S", 0.1)
    monkeypatch.setattr(event_stream, "HOLD_S", 0.1)
    upstream.then(*[Pause(0.06)] * 5, say("a"), END)
    reply = await proxy.post(STREAM, COMPLETIONS)

    assert reply.raw.startswith(b": keep-alive\n\n")
    assert reply.raw.endswith(b"data: [DONE]\n\n")


async def test_surrogate_halves_in_a_text_stream_are_joined(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Surrogate halves in a text stream are joined, and a lone surrogate becomes U+FFFD."""
    upstream.then(say("a\ud83d"), say("\ude00 \ud83d"), END)

    assert text_in((await proxy.post(STREAM, COMPLETIONS)).events) == "a\U0001f600 \ufffd"


async def test_text_stream_whose_client_leaves_is_counted_as_disconnected(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A text request ends when its client leaves, although the provider pauses for 30 seconds."""
    upstream.then(say("a"), Pause(30))
    async with proxy.session.post(proxy.origin + COMPLETIONS, json=STREAM) as response:
        await response.content.readany()
        response.close()
    await proxy.idle()

    assert await proxy.count("requests_total", route=COMPLETIONS, outcome="client_disconnected") == 1


async def test_usage_of_an_empty_text_stream_is_not_counted(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usage of an empty text stream is not counted, and the request fails with status 502."""
    monkeypatch.setattr("proxy.forwarding.text.stream_text.may_be_empty", lambda _: False)
    for _ in range(8):
        upstream.then(END, {"choices": [], "usage": USAGE})
    reply = await proxy.post(STREAM, COMPLETIONS)

    assert reply.status == 502
    assert not any(
        name == "turnright_tokens_total" and count for (name, _), count in (await proxy.metrics()).items()
    )


async def test_text_stream_without_a_chunk_counts_as_broken_off(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A text stream without a chunk fails with status 502, and its attempts have the outcome ``truncated``."""
    for _ in range(8):
        upstream.then()
    reply = await proxy.post(STREAM, COMPLETIONS)

    outcomes = {
        dict(labels)["outcome"]
        for (name, labels), count in (await proxy.metrics()).items()
        if name == "turnright_upstream_attempts_total" and count
    }
    assert (reply.status, outcomes) == (502, {"truncated"})
