"""Tests that a deployment that was chosen before a wait is not called where it cooled down meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest
from typing_extensions import override

from proxy.state import MemoryStore, Space
from tests.proxy.forwarding.attempting import models, refused, text_of
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import MODEL, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

POOL = ("gemini-3.6-flash", "gemini-3-pro-preview")
UNKNOWN = [user("Go."), assistant(None, [call("call_1")]), tool("call_1")]
"""A history with a call whose signature has to be looked up."""


class SlowStore(MemoryStore):
    """A store whose look-ups wait until a test lets them go on."""

    def __init__(self) -> None:
        super().__init__(2**20)
        self.asked, self.answers = asyncio.Event(), asyncio.Event()

    @override
    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        self.asked.set()
        await self.answers.wait()
        return await super().get(space, keys, tenant=tenant)


@pytest.mark.parametrize("names", [POOL, POOL[:1]], ids=["another is ready", "no other"])
async def test_deployment_that_cooled_down_during_the_look_up_is_not_called(
    upstream: ScriptedUpstream, names: tuple[str, ...]
) -> None:
    """A request that waited for the store goes to the pool's other deployment. Without another one, it is sent anyway.

    The answer of the cooling deployment would end the cooldown that the provider asked for.
    """
    entries = [{"model_name": MODEL, "litellm_params": {"model": f"gemini/{name}"}} for name in names]
    store = SlowStore()
    async with proxied(settings_of(model_list=entries), upstream) as proxy:
        current = proxy.server.current
        current.gateway = replace(current.gateway, store=store)
        upstream.then(refused(429, retry_after="60"))
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(proxy.post({"model": MODEL, "messages": UNKNOWN}))
            await store.asked.wait()
            assert (await proxy.post(chat())).status == 429
            store.answers.set()

    assert text_of(waiting.result()) == "Good day."
    assert models(upstream) == [POOL[0], names[-1]]
