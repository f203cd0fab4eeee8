"""Requests over the process's limits are refused at once."""

from __future__ import annotations

import pytest

from proxy.config import Settings
from tests.proxy.ingress.hanging import hanging
from tests.support.proxied import CHAT, MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, answer

ROOM = 2


@pytest.fixture
def settings() -> Settings:
    """Return settings for two requests in flight."""
    return settings_of(general_settings={"max_in_flight": ROOM})


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_request_over_max_in_flight_is_refused_until_another_ends(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """A request over ``max_in_flight`` is refused with a 503 and Retry-After.

    The next request is served when a request has ended.
    """
    async with hanging(proxy, upstream, *(proxy.post(chat()) for _ in range(ROOM))):
        reply = await proxy.post(chat(stream=stream))

        assert (reply.status, reply.error["code"]) == (503, "overloaded")
        assert reply.headers["Retry-After"] == "1"
        assert "x-should-retry" not in reply.headers
        assert len(upstream.calls) == ROOM
        assert await proxy.count("requests_total", outcome="overloaded", model="unknown") == 1
        assert await proxy.count("in_flight") == ROOM

    upstream.then(answer())
    assert (await proxy.post(chat())).status == 200


async def test_probes_and_scrapes_are_answered_while_all_places_are_taken(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """Health and metrics are not counted against ``max_in_flight``."""
    async with hanging(proxy, upstream, *(proxy.post(chat()) for _ in range(ROOM))):
        assert {(await proxy.get(path)).status for path in ("/livez", "/readyz", "/metrics", "/")} == {200}


async def test_place_is_released_however_a_request_ends(proxy: Proxied) -> None:
    """Answers, streams and three kinds of errors leave no request in flight."""
    for body in (chat(), chat(stream=True), b"{", chat(model="x"), {"model": MODEL, "messages": []}) * 3:
        await proxy.post(body)

    assert await proxy.count("in_flight") == 0
    assert await proxy.count("requests_total", outcome="overloaded") == 0


async def test_announced_length_over_the_limit_is_refused_before_the_body(
    upstream: ScriptedUpstream,
) -> None:
    """A body whose announced length exceeds the limit is refused after the request's head alone."""
    async with proxied(settings_of(general_settings={"max_body_mib": 1}), upstream) as proxy:
        head = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        reply = await proxy.raw(f"{head}Content-Length: {2**20 + 1}\r\n\r\n".encode())

    assert (reply.status, reply.error["code"]) == (413, "body_too_large")


async def test_two_keys_at_one_address_share_places_fairly(upstream: ScriptedUpstream) -> None:
    """A key at its share is refused, while another key below its share is served."""
    keys = [{"name": name, "key": f"tr-{name}-0000000000"} for name in ("greedy", "other")]
    settings = settings_of(general_settings={"max_in_flight": 4, "keys": keys})
    greedy, other = ({"Authorization": f"Bearer {one['key']}"} for one in keys)
    async with proxied(settings, upstream) as proxy:
        held = (proxy.post(chat(), headers=headers) for headers in (greedy, greedy, other))
        async with hanging(proxy, upstream, *held):
            upstream.then(answer())

            assert (await proxy.post(chat(), headers=greedy)).status == 503
            assert (await proxy.post(chat(), headers=other)).status == 200
