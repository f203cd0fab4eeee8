"""Tests the metrics of streams: the speed of their output, breaks, and clients that leave."""

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
    """Return the usage chunk of a stream with *output* tokens."""
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
def test_time_per_token_is_shared_by_the_tokens_after_the_first(
    output: Any, reasoning: Any, expected: float | None
) -> None:
    """The time is divided by the tokens after the first, without reasoning.

    Values that are no numbers are ignored.
    """
    found = time_per_token(1.0, output, reasoning)

    assert found == (None if expected is None else pytest.approx(expected))


async def test_time_per_output_token_begins_at_the_first_text(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The time per output token leaves out the wait for the first text, which is another metric."""
    upstream.then(Pause(0.5), say("a"), Pause(0.2), say("b"), STOP, usage(5))
    await proxy.post(chat(stream=True))

    assert await proxy.count("time_per_output_token_seconds_count", model=MODEL) == 1
    assert 0.045 < await proxy.count("time_per_output_token_seconds_sum") < 0.17


async def test_reasoning_does_not_count_in_the_time_per_output_token(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The time per output token leaves out the time and the tokens of reasoning."""
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
async def test_incomplete_or_uncounted_answer_has_no_time_per_output_token(
    proxy: Proxied, upstream: ScriptedUpstream, steps: list[Any], body: dict[str, Any]
) -> None:
    """An answer has no time per output token if it is whole, broken, failed, of one token, or without usage."""
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
async def test_stream_that_breaks_after_its_first_text_is_counted_once(
    broken: list[Any], reason: str
) -> None:
    """A stream that breaks after its first text is counted once, under its reason."""
    upstream = ScriptedUpstream([say("a"), *broken])
    async with proxied(settings_of(router_settings={"timeout": 0.5}), upstream) as proxy:
        reply = await proxy.post(chat(stream=True))

        assert "error" in reply.events[-1]
        assert await proxy.count("streams_interrupted_total") == 1
        assert await proxy.count("streams_interrupted_total", model=MODEL, reason=reason) == 1
        assert await proxy.count("client_disconnects_total") == 0


async def test_stream_of_a_text_completion_is_measured_and_counted() -> None:
    """The speed and the break of a text completion's stream are counted as for a chat."""

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
async def test_failure_before_the_first_text_is_not_a_broken_stream(stream: bool) -> None:
    """A failure before the first text does not count as a broken stream, with a retry or without."""
    lost = UpstreamUnreachable("x", cause=Cause.CONNECTION_LOST)
    upstream = ScriptedUpstream([lost], [say("a"), STOP] if stream else [answer()], [lost], [lost])
    async with proxied(settings_of(router_settings={"num_retries": 1}), upstream) as proxy:
        replies = [await proxy.post(chat(stream=stream)) for _ in range(2)]

        assert [reply.status for reply in replies] == [200, 502]
        assert await proxy.count("streams_interrupted_total") == 0


async def test_stream_cut_at_the_end_of_the_grace_period_has_its_own_reason(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The reason of a stream that is cut at the end of the grace period is ``cut_off``."""
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
    """A client that leaves counts as a disconnect of its path. The client's stream does not count as broken."""
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
