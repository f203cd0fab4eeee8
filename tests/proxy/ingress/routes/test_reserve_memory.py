"""Memory is reserved from a body's first byte to the request's end, and shared between clients."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import orjson
import pytest

from proxy.config import Settings
from proxy.ingress.routes.paths import CHAT_COMPLETIONS, COMPLETIONS, EMBEDDINGS, EXPLAIN, UI_LOOK
from proxy.resilience.memory_need import DIRECT_TIMES, LARGEST_TIMES, LITELLM_TIMES, MIB
from proxy.server.reload.renew_gateway import plan_renewal, renew_gateway
from tests.proxy.ingress.hanging import hanging
from tests.support.proxied import CHAT, GEMINI, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer

ROOM = 8
KEYS = [{"name": name, "key": f"tr-{name}-0123456789"} for name in ("greedy", "other")]
GREEDY, OTHER = ({"Authorization": f"Bearer {one['key']}"} for one in KEYS)


@pytest.fixture
def settings() -> Settings:
    """Return settings with little memory."""
    general = {"max_body_mib": 4, "max_in_flight_mib": ROOM, "keys": KEYS}
    return settings_of(general_settings=general)


@asynccontextmanager
async def sending(
    proxy: Proxied, before: int, size: int, announced: int, key: dict[str, str]
) -> AsyncIterator[None]:
    """Send a part of a body, and hold the connection. *before* are the bytes that other requests hold."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.server.port)
    head = f"POST {CHAT} HTTP/1.1\r\nHost: x\r\nAuthorization: {key['Authorization']}\r\n"
    writer.write(f"{head}Content-Length: {announced}\r\n\r\n".encode() + b" " * size)
    try:
        async with asyncio.timeout(30):
            while proxy.server.gateway.memory.in_flight < before + size:  # noqa: ASYNC110 - there is no event for it
                await asyncio.sleep(0.01)
        yield
    finally:
        writer.transport.abort()
        del reader


async def test_unfinished_body_holds_the_bytes_that_arrived(proxy: Proxied) -> None:
    """Announced bytes that have not arrived are not reserved."""
    memory = proxy.server.gateway.memory
    async with sending(proxy, 0, 2**20, 4 * 2**20, GREEDY):
        assert 2**20 <= memory.in_flight <= 2 * 2**20
        assert memory.held_by("key:greedy") == memory.in_flight
        assert await proxy.count("in_flight_bytes") == memory.in_flight
    await proxy.idle()
    assert memory.in_flight == 0


async def test_memory_is_held_until_the_request_ends(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A request holds the estimate of its memory, which is more than its bytes."""
    memory = proxy.server.gateway.memory
    body = json.dumps(chat("a" * 2**19)).encode()
    async with hanging(proxy, upstream, proxy.post(body, headers=GREEDY)):
        assert 5 * len(body) < memory.in_flight < 6 * len(body)
    assert memory.in_flight == 0


async def test_values_are_counted_only_where_memory_is_scarce(upstream: ScriptedUpstream) -> None:
    """A body reserves the largest need for its size without a count, if memory is plentiful."""
    settings = settings_of(general_settings={"max_in_flight_mib": 64, "keys": KEYS})
    body = json.dumps(chat("a" * 200_000)).encode()
    async with proxied(settings, upstream) as proxy:
        memory = proxy.server.gateway.memory
        async with hanging(proxy, upstream, proxy.post(body, headers=GREEDY)):
            first = memory.in_flight
            async with hanging(proxy, upstream, proxy.post(body, headers=GREEDY)):
                second = memory.in_flight - first

        assert first == LARGEST_TIMES * len(body)
        assert len(body) < second < 6 * len(body)
        assert memory.in_flight == 0


async def test_empty_bodies_of_one_client_release_their_memory(proxy: Proxied) -> None:
    """Several empty bodies that one client sends at once all release their memory."""
    replies = await asyncio.gather(*(proxy.post(b"", headers=GREEDY) for _ in range(8)))

    assert {reply.status for reply in replies} == {400}
    assert proxy.server.gateway.memory.in_flight == 0


async def test_unfinished_bodies_of_one_client_leave_room_for_another(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A client could send bodies that never end at no cost. A quarter of the memory is kept for other clients."""
    memory = proxy.server.gateway.memory
    async with AsyncExitStack() as stack:
        for _ in range(5):
            await stack.enter_async_context(sending(proxy, memory.in_flight, MIB, MIB + 1, GREEDY))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await stack.enter_async_context(sending(proxy, memory.in_flight, MIB, MIB + 1, GREEDY))
        assert memory.in_flight <= memory.capacity * 3 // 4
        upstream.then(answer())
        assert (await proxy.post(chat("a" * 2**17), headers=OTHER)).status == 200


async def test_lack_of_memory_is_a_503_and_a_request_larger_than_all_memory_a_413(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A lack of memory gives a 503 with Retry-After.

    A request larger than all memory gives a 413. Another client is still served.
    """
    async with hanging(proxy, upstream, proxy.post(chat("a" * 2**20), headers=GREEDY)):
        refused = await proxy.post(chat("a" * 2**20), headers=GREEDY)
        upstream.then(answer())
        served = await proxy.post(chat("a" * 2**18), headers=OTHER)
        never = await proxy.post(chat("a" * (2 * 2**20)), headers=OTHER)

    assert (refused.status, refused.error["code"], refused.headers["Retry-After"]) == (503, "overloaded", "1")
    assert "max_in_flight_mib" in refused.error["message"]
    assert served.status == 200
    assert (never.status, never.error["code"]) == (413, "body_too_large")
    assert "general_settings.max_in_flight_mib" in never.error["message"]
    assert await proxy.count("shed_total") == 1


@pytest.mark.parametrize("path", [CHAT_COMPLETIONS, COMPLETIONS, EMBEDDINGS, EXPLAIN, UI_LOOK])
async def test_body_whose_values_would_not_fit_is_refused_before_decoding(
    proxy: Proxied, upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """A body whose values would not fit into memory is refused with a 413 before it is decoded."""
    decoded: list[int] = []
    loads = orjson.loads

    def noting(data: bytes) -> Any:
        decoded.append(len(data))
        return loads(data)

    monkeypatch.setattr(orjson, "loads", noting)
    body = b'{"model":"gemini","messages":[' + b"{}," * 600_000 + b"{}]}"

    reply = await proxy.post(body, path, headers=OTHER)

    assert (reply.status, reply.error["code"]) == (413, "body_too_large")
    assert "general_settings.max_" in reply.error["message"]
    assert not decoded
    assert not upstream.calls
    assert proxy.server.gateway.memory.in_flight == 0


async def test_request_reserves_more_where_litellm_is_used(upstream: ScriptedUpstream) -> None:
    """The reservation grows by the ratio of litellm's need to the direct transport's."""
    held: list[int] = []
    for transport in ("direct", "litellm"):
        entry = {"model_name": "gemini", "litellm_params": {"model": GEMINI}, "transport": transport}
        async with (
            proxied(settings_of(model_list=[entry]), upstream) as proxy,
            hanging(proxy, upstream, proxy.post(chat("a" * 2**18))),
        ):
            held.append(proxy.server.gateway.memory.in_flight)

    assert held[1] == held[0] * LITELLM_TIMES // DIRECT_TIMES


async def test_reload_resizes_the_memory(proxy: Proxied) -> None:
    """The renewed gateway keeps the same memory object, with the new capacity."""
    gateway = proxy.server.gateway
    assert gateway.memory.capacity == ROOM * MIB
    wanted = settings_of(general_settings={"max_in_flight_mib": 3})

    renewed = renew_gateway(gateway, plan_renewal(gateway.settings, wanted))

    assert renewed.memory is gateway.memory
    assert renewed.memory.capacity == 3 * MIB
