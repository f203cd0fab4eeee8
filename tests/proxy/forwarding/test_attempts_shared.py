"""Tests of two proxies with one store: what one has learned from a provider, the other knows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

import pytest

from proxy.state.learned_windows import LearnedWindows
from proxy.state.refused_requests import RefusedRequests
from proxy.state.sharing.shared_lessons import SharedLessons
from proxy.state.sharing.shared_refusals import SharedRefusals
from tests.proxy.forwarding.attempting import refused, text_of
from tests.proxy.state.flaky_memory import FlakyMemory
from tests.support.builders import assistant, user
from tests.support.proxied import Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEY = "sk-spare-0123456789abcdefghij"
LONG = [user("Mend it."), *(m for n in range(40) for m in (assistant(f"Step {n}."), user("word " * 400)))]
OVERFLOW = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 20000 tokens."
)


@dataclass
class Replica:
    """A proxy on a real socket, whose background loop the test runs."""

    proxy: Proxied
    upstream: ScriptedUpstream
    lessons: SharedLessons
    refusals: SharedRefusals

    async def post(self, body: dict[str, Any]) -> Reply:
        """Send a request, and let the background work be done."""
        reply = await self.proxy.post(body)
        await self.proxy.idle()
        now = asyncio.get_running_loop().time()
        await self.refusals.poll(now)
        await self.lessons.poll(now)
        return reply


@pytest.fixture
async def store() -> FlakyMemory:
    """Return an empty shared store."""
    return FlakyMemory(asyncio.get_running_loop().time)


@pytest.fixture
async def replicas(store: FlakyMemory) -> AsyncIterator[list[Replica]]:
    """Yield two proxies. The second one has another entry before the deployment's."""
    long = {"model_name": "long", "litellm_params": {"model": "openai/gpt-long"}}
    spare = {"model_name": "spare", "litellm_params": {"model": "openai/gpt-4.1", "api_key": KEY}}
    replicas = []
    async with AsyncExitStack() as stack:
        for entries in ([long, spare], [spare, long]):
            upstream = ScriptedUpstream()
            proxy = await stack.enter_async_context(proxied(settings_of(model_list=entries), upstream))
            lessons, refusals = SharedLessons(store), SharedRefusals(store)
            current = proxy.server.current
            current.gateway = replace(
                current.gateway,
                learned_windows=LearnedWindows(lessons),
                refused_requests=RefusedRequests(refusals),
            )
            replicas.append(Replica(proxy, upstream, lessons, refusals))
        yield replicas


async def test_a_body_that_one_replica_had_refused_twice_is_refused_once_by_another(
    replicas: list[Replica], store: FlakyMemory
) -> None:
    """The store gets no key of the configuration, and no word of the body."""
    one, other = replicas
    poison = chat("poison", model="long")
    for _ in range(2):
        one.upstream.then(refused(400, f"Bad turn order, {KEY}."))
        assert (await one.post(poison)).status == 400
    other.upstream.then(refused(400, "Bad turn order."))
    await other.post(poison)
    reply = await other.post(poison)

    assert len(other.upstream.calls) == 1
    assert reply.status == 400
    assert reply.error["message"].startswith("Bad turn order, ")
    stored = repr([values.entries for values in store._tenants.values()])
    assert "Bad turn order" in stored
    assert KEY not in stored
    assert "poison" not in stored
    assert text_of(await other.post(chat("healthy", model="long"))) == "Good day."


async def test_a_history_that_overflowed_at_one_replica_is_cut_before_the_first_call_of_another(
    replicas: list[Replica],
) -> None:
    one, other = replicas
    body = {"model": "long", "messages": LONG}
    await other.post(chat(model="long"))  # it has served the deployment before
    one.upstream.then(refused(400, OVERFLOW))
    assert text_of(await one.post(body)) == "Good day."
    other.lessons._full_at = float("-inf")  # five seconds later
    await other.post(chat(model="long"))
    calls = len(other.upstream.calls)
    await other.post(body)

    assert len(other.upstream.calls) == calls + 1
    assert other.upstream.calls[-1].messages == one.upstream.calls[-1].messages
