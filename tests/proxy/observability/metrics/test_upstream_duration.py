"""Tests the duration of upstream calls: to a whole answer's end, a stream's first text, or the failure."""

from __future__ import annotations

import asyncio

from proxy.core.errors import UpstreamFault
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, say

NAME = "upstream_request_duration_seconds"


async def test_whole_answer_is_timed_to_its_end(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    upstream.then(Pause(0.2), answer())
    await proxy.post(chat())

    assert await proxy.count(f"{NAME}_count", model=MODEL) == 1
    assert 0.2 <= await proxy.count(f"{NAME}_sum") < 2


async def test_stream_is_timed_to_its_first_text(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The duration of a stream lasts to its first text. The rest of the stream is another metric."""
    upstream.then(Pause(0.05), say("a"), Pause(0.8), STOP)
    await proxy.post(chat(stream=True))

    assert await proxy.count(f"{NAME}_count", model=MODEL) == 1
    assert 0.05 <= await proxy.count(f"{NAME}_sum") < 0.8


async def test_each_attempt_is_timed_for_the_model_that_was_called() -> None:
    """Each attempt is timed for its own model, failed attempts too."""
    failure = UpstreamFault("x", upstream_status=503)
    upstream = ScriptedUpstream([Pause(0.2), failure], [failure], [Pause(0.2), answer()])
    models = {MODEL: "gemini/gemini-3.6-flash", "spare": "openai/gpt-4.1"}
    router = {"num_retries": 1, "fallbacks": [{MODEL: ["spare"]}]}
    async with proxied(settings_of(models, router_settings=router), upstream) as proxy:
        reply = await proxy.post(chat())

        assert reply.status == 200
        assert await proxy.count(f"{NAME}_count", model=MODEL) == 2
        assert await proxy.count(f"{NAME}_count", model="spare") == 1
        assert await proxy.count(f"{NAME}_count") == await proxy.count("upstream_attempts_total")
        assert 0.2 <= await proxy.count(f"{NAME}_sum", model=MODEL) < 30


async def test_call_whose_client_left_is_timed_as_well(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A call whose client left is timed, since a long wait may be why the client left."""
    upstream.then(HANG)
    asking = asyncio.ensure_future(proxy.post(chat()))
    await upstream.called()
    await asyncio.sleep(0.2)
    asking.cancel()
    await asyncio.wait([asking])
    await asyncio.sleep(0.1)
    await proxy.idle()

    assert await proxy.count(f"{NAME}_count") == 1
    assert 0.15 < await proxy.count(f"{NAME}_sum") < 30


async def test_request_refused_here_has_no_duration(proxy: Proxied) -> None:
    """A request that the proxy refuses makes no call, and has no duration."""
    await proxy.post({"model": MODEL, "messages": []})

    assert await proxy.count(f"{NAME}_count") == 0
