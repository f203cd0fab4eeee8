"""A request goes the short way where its path is a fixed one, and is answered as on the long one everywhere."""

from __future__ import annotations

import pytest
from aiohttp import web

from proxy.server import serve as server
from proxy.server.fast_router import Handle, route_fast
from tests.support.proxied import CHAT, MODEL, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, ScriptedUpstream

SHORT = [
    ("POST", "/v1/%63hat/completions"),  # yarl writes it as it is usually written
    ("POST", CHAT),
    ("POST", "/chat/completions"),
    ("GET", "/v1/models"),
    ("GET", "/livez?x=1"),
    ("HEAD", "/livez"),
]
LONG = [
    ("GET", f"/v1/models/{MODEL}"),
    ("GET", CHAT),
    ("POST", f"{CHAT}/"),
    ("POST", "/v1/chat%2Fcompletions"),
    ("OPTIONS", CHAT),
    ("GET", "/nowhere"),
]


@pytest.fixture
def went_long(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths that go the long way."""
    gone: list[str] = []

    def noting(app: web.Application, route_slow: Handle) -> Handle:
        async def noted(request: web.BaseRequest) -> web.StreamResponse:
            gone.append(request.path_qs)
            return await route_slow(request)

        return route_fast(app, noted)

    monkeypatch.setattr(server, "route_fast", noting)
    return gone


def told(reply: Reply) -> tuple[int, set[str], bytes]:
    """Return what an answer says, without what differs from moment to moment."""
    raw = reply.raw if reply.status != 200 else b""
    return reply.status, set(reply.headers) - {"x-request-id"}, raw


@pytest.mark.parametrize(("method", "path"), [*SHORT, *LONG])
async def test_both_ways_say_the_same(
    method: str, path: str, went_long: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other spellings, methods that are not taken, and paths with a name in them go the long one."""
    replies = []
    for way in ("short", "long"):
        if way == "long":
            monkeypatch.setattr(server, "route_fast", lambda _, route_slow: route_slow)
        async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
            replies.append(await proxy.request(method, path, json=chat() if method == "POST" else None))

    assert told(replies[0]) == told(replies[1])
    assert bool(went_long) == ((method, path) in LONG)


async def test_a_client_that_waits_to_be_asked(went_long: list[str]) -> None:
    """``Expect: 100-continue`` is answered where the body is read, on the short way too."""
    async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
        reply = await proxy.request("POST", CHAT, json=chat(), expect100=True)

    assert reply.status == 200
    assert went_long == []
