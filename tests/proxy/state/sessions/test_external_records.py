"""Tests of sessions in a store outside the process: sealed values, waits, and failures."""

from __future__ import annotations

import asyncio

import pytest

from proxy.state.external.backend import FaultKind
from proxy.state.external.sealed_entries import LARGEST_VALUE
from proxy.state.sessions.external_records import ExternalRecords
from proxy.state.sessions.record_store import PART_BYTES, Change
from proxy.state.sessions.session_errors import SessionsUnavailable
from tests.support.session_stores import LIMITS, replicas, shared_dictionaries


async def test_value_of_a_part_is_kept_and_one_copied_to_another_name_is_not_read() -> None:
    """The bound of a value is that of a part. A digest covers name and value."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        store = ExternalRecords(one.store, LIMITS)
        assert await store.change("blue", Change({"a": b"x" * PART_BYTES, "b": b"y"}))
        assert PART_BYTES > LARGEST_VALUE
        assert await store.get("blue", ["a", "b", "c"]) == {"a": b"x" * PART_BYTES, "b": b"y"}
        assert await store.get("red", ["a", "b"]) == {}
        first, second = [name for name in backend.values if ":kept:" in name]
        backend.values[first], backend.values[second] = backend.values[second], backend.values[first]

        assert await store.get("blue", ["a", "b"]) == {}
        assert one.events.errors == {FaultKind.CORRUPT: 2}


async def test_calls_wait_longer_than_other_look_ups_and_not_for_ever() -> None:
    """A look-up that takes 0.2 s succeeds. Of a store that is frozen the error comes after a second."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        store = ExternalRecords(one.store, LIMITS)
        await store.change("blue", Change({"a": b"1"}))
        backend.frozen = asyncio.Event()
        asyncio.get_running_loop().call_later(0.2, backend.frozen.set)
        assert await store.get("blue", ["a"]) == {"a": b"1"}
        backend.frozen = asyncio.Event()
        with pytest.raises(SessionsUnavailable):
            await store.get("blue", ["a"])
        backend.frozen.set()


async def test_more_calls_than_places_wait_for_their_turn() -> None:
    """Forty look-ups at a time are all answered, though six are made at a time."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        store = ExternalRecords(one.store, LIMITS)
        await store.change("blue", Change({"a": b"1"}))
        backend.frozen = asyncio.Event()
        asyncio.get_running_loop().call_later(0.15, backend.frozen.set)
        found = await asyncio.gather(*(store.get("blue", ["a"]) for _ in range(40)))

        assert found == [{"a": b"1"}] * 40


async def test_nothing_is_asked_for_no_keys() -> None:
    """An empty list needs no store."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        backend.fail(FaultKind.CONNECTION)

        assert await ExternalRecords(one.store, LIMITS).get("blue", []) == {}


async def test_many_renewals_are_made_in_pieces() -> None:
    """500 at most at once."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        await ExternalRecords(one.store, LIMITS).renew("blue", [str(number) for number in range(1_001)])

        assert backend.calls["renew"] == 3
