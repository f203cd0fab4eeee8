"""A process is ready after its warm-up, and drains before it ends."""

from __future__ import annotations

import asyncio

import aiohttp
import pytest

from proxy.server import serve as module
from proxy.server.serve import drain, serving
from tests.behaviours.test_stream_clients import STREAM_BODY, connect
from tests.support.proxied import chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, answer, say

ADMIN = {"admin": {"host": "127.0.0.1", "port": 0}}
QUICK = {"drain_delay": 0, "drain_grace": 0.05}


async def test_process_is_alive_and_not_ready_during_the_warm_up(upstream: ScriptedUpstream) -> None:
    """Both listeners are open before the warm-up ends."""
    upstream.may_start.clear()
    settings = settings_of(general_settings=ADMIN)
    ready = asyncio.Event()

    async def serve() -> None:
        async with serving(settings, upstream, host="127.0.0.1", port=0):
            ready.set()
            await asyncio.sleep(3600)

    listening: asyncio.Queue[int] = asyncio.Queue()
    listen = module._listen

    async def noting(*arguments: object) -> object:
        site, port = await listen(*arguments)  # type: ignore[arg-type]  # passed through
        listening.put_nowait(port)
        return site, port

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_listen", noting)
        task = asyncio.get_running_loop().create_task(serve())
        seen = [await listening.get(), await listening.get()]
        await upstream.starting.wait()
        async with aiohttp.ClientSession() as session:

            async def statuses(path: str) -> list[int]:
                found = []
                for port in seen:
                    async with session.get(f"http://127.0.0.1:{port}{path}") as response:
                        found.append(response.status)
                return found

            assert await statuses("/livez") == [200, 200]
            assert await statuses("/readyz") == [503, 503]
            upstream.may_start.set()
            await asyncio.wait_for(ready.wait(), 30)
            assert await statuses("/readyz") == [200, 200]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert upstream.closed


async def test_draining_process_is_not_ready_and_serves_until_the_delay_ends(
    upstream: ScriptedUpstream,
) -> None:
    """After the delay, the port is closed."""
    settings = settings_of(general_settings={**QUICK, "drain_delay": 3600})
    async with proxied(settings, upstream) as proxy:
        draining = asyncio.get_running_loop().create_task(drain(proxy.server, settings))
        await asyncio.sleep(0.05)
        ready, live, taken = await proxy.get("/readyz"), await proxy.get("/livez"), await proxy.post(chat())
        gauge = await proxy.count("ready")
        draining.cancel()
        await drain(proxy.server, settings_of(general_settings=QUICK))

        assert (ready.status, ready.json["status"]) == (503, "not ready")
        assert live.status == 200
        assert taken.status == 200
        assert gauge == 0
        with pytest.raises(aiohttp.ClientConnectorError):
            async with aiohttp.ClientSession() as session, session.get(f"{proxy.origin}/livez"):
                pass


async def test_request_in_flight_ends_within_the_grace_period(upstream: ScriptedUpstream) -> None:
    """The request's connection is closed after the answer."""
    upstream.then(Pause(0.15), answer())
    settings = settings_of(general_settings={**QUICK, "drain_grace": 30})
    async with proxied(settings, upstream) as proxy:
        asked = asyncio.get_running_loop().create_task(proxy.post(chat()))
        await upstream.called()
        await drain(proxy.server, settings)
        reply = await asked

    assert reply.status == 200
    assert reply.headers["Connection"] == "close"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_request_over_the_grace_period_gets_an_error(upstream: ScriptedUpstream, stream: bool) -> None:
    """The client gets the error as a status, or as the last event of a stream."""
    upstream.then(*([say("Good "), HANG, STOP] if stream else [HANG]))
    settings = settings_of(general_settings=QUICK)
    async with proxied(settings, upstream) as proxy:
        asked = asyncio.get_running_loop().create_task(proxy.post(chat(stream=stream)))
        exchange = await upstream.called()
        await asyncio.sleep(0.05)
        await drain(proxy.server, settings)
        reply = await asked

    assert await exchange.ended() == "cancelled"
    error = reply.events[-1]["error"] if stream else reply.error
    assert reply.status == (200 if stream else 503)
    assert error["code"] == "overloaded"
    assert "shutting down" in error["message"]
    assert not stream or "[DONE]" not in reply.events


async def test_client_that_does_not_read_is_disconnected(upstream: ScriptedUpstream) -> None:
    """A client that does not read gets no error event."""
    upstream.then(*[say("x" * 200_000)] * 200, STOP)
    settings = settings_of(general_settings=QUICK)
    async with proxied(settings, upstream) as proxy:
        reader, writer = await connect(proxy, STREAM_BODY)
        exchange = await upstream.called()
        await asyncio.sleep(0.1)
        await drain(proxy.server, settings)
        received = await asyncio.wait_for(reader.read(), 30)
        writer.close()

    assert await exchange.ended() == "closed"
    assert received.count(b"HTTP/1.1") == 1
    assert b'"error"' not in received
