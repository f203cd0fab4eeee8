"""Tests that a key whose limits are used up is refused before its body is read."""

from __future__ import annotations

import asyncio

import pytest

from tests.proxy.forwarding.limits.keyed import ANSWERED, KEY, ask, keyed, sent_by, spent
from tests.support.proxied import CHAT
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.mark.parametrize(
    "limits", [{"rpm_limit": 1}, {"max_budget": ANSWERED / 10**9}], ids=["requests", "budget"]
)
async def test_known_refusal_needs_no_body(upstream: ScriptedUpstream, limits: dict[str, float]) -> None:
    """The answer comes while the client still has its body to send."""
    async with keyed(limits, upstream) as proxy:
        for _ in range(2):
            await ask(proxy, max_tokens=1)
        head = (
            f"POST {CHAT} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: {sent_by()['Authorization']}\r\nContent-Length: 1000000\r\n\r\n"
        )
        async with asyncio.timeout(20):
            reply = await proxy.raw(head.encode())

    assert reply.status == 429


async def test_lists_are_served_while_the_limits_are_used_up(upstream: ScriptedUpstream) -> None:
    async with keyed({"rpm_limit": 1}, upstream) as proxy:
        replies = [await ask(proxy) for _ in range(3)]

        assert [reply.status for reply in replies] == [200, 429, 429]
        assert (await proxy.get("/v1/models", sent_by())).status == 200
        assert await proxy.count("rate_limited_total", key=KEY, kind="requests") == 2


async def test_refused_requests_take_no_place(upstream: ScriptedUpstream) -> None:
    """Neither the places of the process nor the totals of the key count a refused request."""
    async with keyed({"rpm_limit": 1}, upstream, general_settings={"max_in_flight": 1}) as proxy:
        for _ in range(20):
            await ask(proxy)

        assert await proxy.count("shed_total") == 0
        assert spent(proxy).requests == 1
