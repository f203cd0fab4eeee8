"""Tests of the uses that are counted."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.renewals import Renewals
from proxy.state.sessions.session_errors import SessionsUnavailable
from tests.support.session_stores import LIMITS


class NotedRecords(MemoryRecords):
    """Values in memory, with the renewals."""

    def __init__(self) -> None:
        super().__init__(LIMITS)
        self.renewed: list[tuple[str, list[str]]] = []
        self.down = False

    @override
    async def renew(self, tenant: str, keys: Sequence[str]) -> None:
        if self.down:
            raise SessionsUnavailable
        self.renewed.append((tenant, list(keys)))


async def test_use_is_written_once_in_a_while_for_each_client_and_key() -> None:
    """A second use soon after is not written. Keys are written in their order, each once."""
    store, now = NotedRecords(), [0.0]
    renewals = Renewals(store, lambda: now[0], 10.0)
    await renewals.renew("blue", ["b", "a", "b"])
    await renewals.renew("blue", ["a"])
    await renewals.renew("red", ["a"])
    now[0] = 9.9
    await renewals.renew("blue", ["a", "c"])
    now[0] = 10.0
    await renewals.renew("blue", ["a", "c"])

    assert store.renewed == [("blue", ["b", "a"]), ("red", ["a"]), ("blue", ["c"]), ("blue", ["a"])]


async def test_use_that_could_not_be_written_is_written_with_the_next() -> None:
    """A failure raises nothing."""
    store = NotedRecords()
    renewals = Renewals(store, lambda: 0.0, 10.0)
    store.down = True
    await renewals.renew("blue", ["a"])
    store.down = False
    await renewals.renew("blue", ["a"])

    assert store.renewed == [("blue", ["a"])]
