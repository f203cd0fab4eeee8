"""Tests that a half-open circuit closes as soon as the answer to its probe request begins."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from proxy.resilience.circuit import State
from tests.proxy.forwarding.attempting import refused
from tests.proxy.forwarding.text.asking import COMPLETIONS, NAME, body_for, plain_settings, written
from tests.support.proxied import CHAT, Proxied, chat, proxied
from tests.support.scripted_upstream import HANG, Pause, ScriptedUpstream, Step, chunk, say

HOLD_S = 0.05
SLOWLY: dict[str, list[Step]] = {
    CHAT: [chunk({"reasoning_content": "Hm."}), *[Pause(HOLD_S)] * 4, say("fine"), HANG],
    COMPLETIONS: [written("", None), *[Pause(HOLD_S)] * 4, written("fine", None), HANG],
}


@pytest.mark.parametrize("path", SLOWLY)
async def test_an_answer_that_begins_late_closes_the_circuit(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The circuit closes at the first text of the probe's stream, although the stream goes on."""
    monkeypatch.setattr("proxy.forwarding.event_stream.HOLD_S", HOLD_S)
    body = chat(model=NAME, stream=True) if path == CHAT else body_for(path, stream=True)
    router = {"num_retries": 0, "cooldown_time": 0.01}
    async with proxied(plain_settings(router_settings=router), upstream) as proxy:
        for _ in range(3):
            upstream.then(refused(503))
            await proxy.post(body, path)
        await asyncio.sleep(0.02)
        assert state_of(proxy) is State.HALF_OPEN
        upstream.then(*SLOWLY[path])
        async with proxy.session.post(proxy.origin + path, json=body) as response:
            await read_until(response, b'"fine"')

            assert state_of(proxy) is State.CLOSED


async def read_until(response: aiohttp.ClientResponse, words: bytes) -> None:
    """Read a streamed answer up to the line that holds *words*."""
    async with asyncio.timeout(30):
        while words not in await response.content.readline():
            pass


def state_of(proxy: Proxied) -> State:
    """Return the circuit state of the one deployment that was asked."""
    [state] = proxy.server.gateway.balancer.states(asyncio.get_running_loop().time()).values()
    return state
