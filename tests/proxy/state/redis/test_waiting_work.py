"""Tests of the order and the delay of the ledger's work."""

from __future__ import annotations

import asyncio

import pytest

from proxy.state.limits.claims import Claims, Settlement
from proxy.state.redis.waiting_work import MOST_WAITING, Asked, Exchange, WaitingWork
from tests.support.limited_keys import place

FEW, MANY = (place(most=2),), (place(most=1_000),)


@pytest.fixture
def waiting() -> WaitingWork:
    """Return work of which nothing waits."""
    return WaitingWork()


def asked() -> Asked:
    """Return claims that wait."""
    return Asked(Claims("a"), asyncio.get_running_loop().create_future())


def exchange() -> Exchange:
    """Return an exchange that waits."""
    return Exchange((), asyncio.get_running_loop().create_future())


async def is_ready(waiting: WaitingWork) -> bool:
    """Return True where there is work to do now."""
    ready = asyncio.get_running_loop().create_task(waiting.wait())
    await asyncio.sleep(0)
    done = ready.done()
    ready.cancel()
    return done


async def test_claims_are_done_at_once_with_what_waits(waiting: WaitingWork) -> None:
    settlement, claims = Settlement("s", parallel=MANY), asked()
    waiting.add_settlement(settlement)
    assert not await is_ready(waiting)
    waiting.add(claims)

    assert await is_ready(waiting)
    assert waiting.take() == [settlement, claims]


async def test_settlement_alone_is_done_after_a_moment(waiting: WaitingWork) -> None:
    waiting.add_settlement(Settlement("s"))
    async with asyncio.timeout(10):
        await waiting.wait()

    assert [work.id for work in waiting.take() if isinstance(work, Settlement)] == ["s"]


async def test_settlement_after_a_batch_is_done_after_a_moment_too(waiting: WaitingWork) -> None:
    """The timer of the settlement before may still run, and ends no wait of the new one for ever."""
    waiting.add_settlement(Settlement("s"))
    waiting.take()
    await asyncio.sleep(0.001)
    waiting.add_settlement(Settlement("t"))
    async with asyncio.timeout(10):
        await waiting.wait()

    assert len(waiting) == 1


async def test_place_of_a_key_with_few_is_freed_at_once(waiting: WaitingWork) -> None:
    waiting.add_settlement(Settlement("s", parallel=FEW))
    assert await is_ready(waiting)


async def test_full_batch_of_settlements_is_done_at_once(waiting: WaitingWork) -> None:
    for number in range(64):
        waiting.add_settlement(Settlement(str(number)))

    assert await is_ready(waiting)
    assert (len(waiting.take()), len(waiting)) == (64, 0)


async def test_exchange_goes_alone(waiting: WaitingWork) -> None:
    first, alone, last = asked(), exchange(), asked()
    for work in (first, alone, last):
        waiting.add(work)

    assert [waiting.take() for _ in range(4)] == [[first], [alone], [last], []]


async def test_claims_of_a_caller_that_is_gone_are_left_out(waiting: WaitingWork) -> None:
    gone, stays = asked(), asked()
    gone.future.cancel()
    waiting.add(gone)
    waiting.add(stays)

    assert waiting.take() == [stays]


async def test_oldest_settlement_is_dropped_where_too_many_wait(waiting: WaitingWork) -> None:
    claims = asked()
    waiting.add(claims)
    for number in range(MOST_WAITING):
        waiting.add_settlement(Settlement(str(number)))

    first, second, *_ = waiting.take()
    assert first is claims
    assert isinstance(second, Settlement)
    assert second.id == "1"
    assert len(waiting) <= MOST_WAITING


async def test_end_of_a_request_waits_until_its_place_is_free(waiting: WaitingWork) -> None:
    settlement = Settlement("s", parallel=FEW)
    waiting.add_settlement(settlement)
    arrived = asyncio.get_running_loop().create_task(waiting.arrive("s"))
    await asyncio.sleep(0)
    assert not arrived.done()
    waiting.note_done(settlement)
    await arrived
    await waiting.arrive("s")
    await waiting.arrive("another")
