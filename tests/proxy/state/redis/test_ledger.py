"""Tests of the waits of the ledger on Redis. Its claims are tested with real servers, in ``tests/process/state``."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.external_store import ExternalStore
from proxy.state.limits.claims import Claims, SpendClaim, Verdict
from proxy.state.limits.spend_book import SpendBook
from proxy.state.redis import ledger as module
from proxy.state.redis.waiting_work import Asked
from tests.support.limited_keys import FOREVER


@pytest.mark.parametrize("turns", range(12))
async def test_verdict_that_comes_at_the_end_of_the_wait_is_used_or_given_back(
    turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever turn of the event loop brings a grant, its reservation stands exactly where the caller has it."""
    monkeypatch.setattr(module, "WAIT_S", 0.0)
    book = SpendBook()
    store = cast(ExternalStore, SimpleNamespace(is_up=True))
    ledger = module.RedisLedger(parse_redis_address("redis://127.0.0.1:1"), store, book)
    claims = Claims("a", spends=(SpendClaim("key:a", FOREVER, 100, 7, 60.0),))
    async with asyncio.TaskGroup() as group:
        asked = group.create_task(ledger.admit(claims))
        await asyncio.sleep(0)
        [waiting] = ledger._waiting.take()
        for _ in range(turns):
            await asyncio.sleep(0)
        assert isinstance(waiting, Asked)
        ledger._hand_on(waiting, Verdict(True, (0.0,), (), (0,)), [book.spend_of("key:a", FOREVER)])

    verdict = asked.result()

    assert book.spend_of("key:a", FOREVER).reserved == (0 if verdict is None else 7)
