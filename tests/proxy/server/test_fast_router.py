"""The fast router finds fixed paths, and every answer is that of aiohttp's router."""

from __future__ import annotations

import pytest
from aiohttp import web

from proxy.server import serve as server
from proxy.server.fast_router import Handle, route_fast
from tests.support.proxied import CHAT, MODEL, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import GOOD_ANSWER, ScriptedUpstream

FAST = [
    ("POST", "/v1/%63hat/completions"),  # yarl decodes %63
    ("POST", CHAT),
    ("POST", "/chat/completions"),
    ("GET", "/v1/models"),
    ("GET", "/livez?x=1"),
    ("HEAD", "/livez"),
    ("POST", f"/v1beta/models/{MODEL}:generateContent"),
    ("POST", f"/v1beta/models/{MODEL}%3AgenerateContent"),  # and %3A
    ("POST", f"/models/models/{MODEL}:countTokens?key=x"),
    ("POST", "/v1/projects/p/locations/l/publishers/google/models/a/b:c:embedContent"),
]
SLOW = [
    ("GET", f"/v1/models/{MODEL}"),
    ("GET", CHAT),
    ("POST", f"{CHAT}/"),
    ("POST", "/v1/chat%2Fcompletions"),
    ("OPTIONS", CHAT),
    ("GET", "/nowhere"),
    ("GET", f"/v1beta/models/{MODEL}:generateContent"),
    ("POST", f"/v1beta/models/{MODEL}:other"),
    ("POST", "/v1beta/models/a%2Fb:generateContent"),
    ("POST", "/v1/projects/p%2F/locations/l/publishers/google/models/a:embedContent"),
]


@pytest.fixture
def slow_paths(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths that aiohttp's router gets."""
    found: list[str] = []

    def noting(app: web.Application, route_slow: Handle) -> Handle:
        async def noted(request: web.BaseRequest) -> web.StreamResponse:
            found.append(request.path_qs)
            return await route_slow(request)

        return route_fast(app, noted)

    monkeypatch.setattr(server, "route_fast", noting)
    return found


def comparable(reply: Reply) -> tuple[int, set[str], bytes]:
    """Return an answer's status, header names and body, without values that differ each time."""
    raw = reply.raw if reply.status != 200 else b""
    return reply.status, set(reply.headers) - {"x-request-id"}, raw


@pytest.mark.long
@pytest.mark.parametrize(("method", "path"), [*FAST, *SLOW])
async def test_answers_of_both_routers_are_equal(
    method: str, path: str, slow_paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only fixed paths and their methods are found by the fast router."""
    replies = []
    for router in ("fast", "slow"):
        if router == "slow":
            monkeypatch.setattr(server, "route_fast", lambda _, route_slow: route_slow)
        async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
            replies.append(await proxy.request(method, path, json=chat() if method == "POST" else None))

    assert comparable(replies[0]) == comparable(replies[1])
    assert bool(slow_paths) == ((method, path) in SLOW)


async def test_fast_router_serves_a_client_that_expects_100_continue(slow_paths: list[str]) -> None:
    """A request with ``Expect: 100-continue`` is served without aiohttp's router."""
    async with proxied(settings_of(), ScriptedUpstream(GOOD_ANSWER)) as proxy:
        reply = await proxy.request("POST", CHAT, json=chat(), expect100=True)

    assert reply.status == 200
    assert slow_paths == []
