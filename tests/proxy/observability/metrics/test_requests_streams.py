"""What only streams have: how fast they are written, and that they may break or be left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.core.failures import Cause
from proxy.observability.finish_request import time_per_token
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, chunk, say


def usage(output: Any, **details: Any) -> dict[str, Any]:
    """Return the chunk of a usage."""
    counted = {"prompt_tokens": 5, "completion_tokens": output}
    return {"choices": [], "usage": {**counted, "completion_tokens_details": details} if details else counted}


@pytest.mark.parametrize(
    ("output", "reasoning", "expected"),
    [
        (11, None, 0.1),
        (11, 0, 0.1),
        (111, 100, 0.1),
        (2, None, 1.0),
        (1, None, None),
        (0, None, None),
        (11, 10, None),
        (11, 12, None),
        (None, None, None),
        ("11", None, None),
        (11, "x", 0.1),
    ],
)
def test_time_per_token(output: Any, reasoning: Any, expected: float | None) -> None:
    """A second of writing, shared by the tokens after the first; thoughts came before it, and odd counts are none."""
    found = time_per_token(1.0, output, reasoning)

    assert found == (None if expected is None else pytest.approx(expected))


async def test_time_per_output_token(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """From the first text to the end, not from the request's arrival: the wait for the first is another metric."""
    upstream.then(Pause(0.5), say("a"), Pause(0.2), say("b"), STOP, usage(5))
    await proxy.post(chat(stream=True))

    assert await proxy.count("time_per_output_token_seconds_count", model=MODEL) == 1
    assert 0.045 < await proxy.count("time_per_output_token_seconds_sum") < 0.17


async def test_thoughts_are_not_written(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Neither the time of thoughts that come before the answer counts, nor their tokens."""
    thought = chunk({"reasoning_content": "hm"})
    upstream.then(thought, Pause(0.5), say("a"), Pause(0.2), STOP, usage(105, reasoning_tokens=100))
    await proxy.post(chat(stream=True))

    assert 0.045 < await proxy.count("time_per_output_token_seconds_sum") < 0.17


@pytest.mark.parametrize(
    ("steps", "body"),
    [
        ([{**answer(), "usage": usage(5)["usage"]}], chat()),
        ([say("a"), STOP], chat(stream=True)),
        ([say("a"), STOP, usage(1)], chat(stream=True)),
        ([say("a"), usage(5)], chat(stream=True)),
        ([UpstreamFault("x", upstream_status=500)], chat(stream=True)),
    ],
    ids=["whole", "no usage", "one token", "broken", "failed"],
)
async def test_no_time_per_output_token(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any], body: dict[str, Any]
) -> None:
    """Nothing is said of an answer that was not streamed to its end, or whose tokens nobody counted."""
    upstream.then(*steps)
    await proxy.post(body)

    assert await proxy.count("time_per_output_token_seconds_count") == 0


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ([UpstreamUnreachable("x", cause=Cause.CONNECTION_LOST)], "connection_lost"),
        ([UpstreamTimeout("x", cause=Cause.IDLE_TIMEOUT)], "idle_timeout"),
        ([UpstreamFault("x", upstream_status=503)], "unavailable"),
        ([], "truncated"),
        ([RuntimeError("x")], "internal_error"),
        ([HANG], "deadline"),
    ],
)
async def test_stream_broken_behind_its_first_text_is_counted_once(broken: list[Any], reason: str) -> None:
    """A stream that breaks behind its first text is counted by what broke it, once."""
    upstream = ScriptedUpstream([say("a"), *broken])
    async with proxied(settings_of(router_settings={"timeout": 0.5}), upstream) as proxy:
        reply = await proxy.post(chat(stream=True))

        assert "error" in reply.events[-1]
        assert await proxy.count("streams_interrupted_total") == 1
        assert await proxy.count("streams_interrupted_total", model=MODEL, reason=reason) == 1
        assert await proxy.count("client_disconnects_total") == 0


async def test_texts_are_streams_as_well() -> None:
    """A text completion has all of it: how fast it was written, and that it broke."""

    def said(text: str, finish: str | None = None) -> dict[str, Any]:
        return {"choices": [{"text": text, "index": 0, "finish_reason": finish}]}

    upstream = ScriptedUpstream(
        [Pause(0.5), said("a"), Pause(0.2), said("b", "stop"), usage(5)], [said("a"), HANG]
    )
    settings = settings_of({MODEL: "openai/gpt-3.5-turbo-instruct"}, router_settings={"timeout": 1.0})
    async with proxied(settings, upstream) as proxy:
        for _ in range(2):
            await proxy.post({"model": MODEL, "prompt": "x", "stream": True}, "/v1/completions")

        assert await proxy.count("time_per_output_token_seconds_count") == 1
        assert 0.045 < await proxy.count("time_per_output_token_seconds_sum") < 0.17
        assert await proxy.count("streams_interrupted_total") == 1
        assert await proxy.count("upstream_request_duration_seconds_count") == 2
        assert await proxy.count("upstream_request_duration_seconds_sum") < 1


@pytest.mark.parametrize("stream", [False, True])
async def test_failure_before_the_first_text_broke_no_stream(stream: bool) -> None:
    """What failed before a word of an answer was out broke no stream, whether it was tried again or not."""
    lost = UpstreamUnreachable("x", cause=Cause.CONNECTION_LOST)
    upstream = ScriptedUpstream([lost], [say("a"), STOP] if stream else [answer()], [lost], [lost])
    async with proxied(settings_of(router_settings={"num_retries": 1}), upstream) as proxy:
        replies = [await proxy.post(chat(stream=stream)) for _ in range(2)]

        assert [reply.status for reply in replies] == [200, 502]
        assert await proxy.count("streams_interrupted_total") == 0


async def test_cut_off_by_our_end(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A stream that is cut at the end of the grace period is told from one that a provider broke."""
    upstream.then(say("a"), HANG)
    async with proxy.session.post(proxy.origin + CHAT, json=chat(stream=True)) as response:
        await response.content.readuntil(b"\n\n")
        proxy.server.gateway.lifecycle.cut_off()
        await response.read()

    assert await proxy.count("streams_interrupted_total", reason="cut_off") == 1


@pytest.mark.parametrize("steps", [[HANG], [say("a"), HANG]], ids=["waiting", "in mid-stream"])
async def test_client_that_leaves_is_a_disconnect_of_its_path(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any]
) -> None:
    """A client that leaves is one more disconnect of its path, and no broken stream."""
    upstream.then(*steps)
    asking = asyncio.ensure_future(proxy.post(chat(stream=True)))
    await upstream.called()
    await asyncio.sleep(0.1)
    asking.cancel()
    await asyncio.wait([asking])
    await asyncio.sleep(0.1)
    await proxy.idle()

    assert await proxy.count("client_disconnects_total") == 1
    assert await proxy.count("client_disconnects_total", route=CHAT) == 1
    assert await proxy.count("streams_interrupted_total") == 0
