"""Tests of everything that processes exchange through one store."""

from __future__ import annotations

from collections import Counter

from proxy.config import resolve
from proxy.state.refused_requests import Refusal
from proxy.state.sharing.sources import Sharing
from tests.support.proxied import settings_of
from tests.support.shared_memory import SharedMemory

[DEPLOYMENT] = resolve(settings_of({"gemini": {"model": "gemini/gemini-3-pro", "api_key": "k"}}), "gemini")


def test_each_exchange_has_its_period() -> None:
    """Cooldowns are read each second, lessons and repairs each five seconds. Changes wake their exchange."""
    sources = Sharing(SharedMemory()).sources()

    assert {source.name: source.period_s for source in sources} == {
        "cooldowns": 1.0,
        "probes": 1.0,
        "lessons": 5.0,
        "refusals": 60.0,
        "repairs": 5.0,
    }
    assert Counter(source.wake is None for source in sources) == {False: 4, True: 1}


async def test_all_exchanges_use_one_store() -> None:
    """A cooldown and a refusal of one process reach the other, and a lease is let go at the end."""
    store = SharedMemory(lambda: 0.0)
    here, there = Sharing(store), Sharing(store)
    here.cooldowns.account_of(DEPLOYMENT).ask(30.0, 0.0)
    refusal = Refusal(400, "no")
    here.refusals.publish("t", "d", b"digest", refusal)
    account, found = there.cooldowns.account_of(DEPLOYMENT), list[Refusal]()
    there.refusals.look_up("t", "d", b"digest", found.append)

    for one in (here, there):
        for source in one.sources():
            await source.exchange(0.0)

    assert account.until == 30.0
    assert found == [refusal]
    await here.close()
