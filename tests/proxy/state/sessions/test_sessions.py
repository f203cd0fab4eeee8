"""Tests of sessions over each kind of store that needs no server, and of stores that fail."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from proxy.state.external.backend import ENTRY_BYTES, Bounds, FaultKind
from proxy.state.sessions.conversations import Conversation
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.record_store import Limits
from proxy.state.sessions.session_errors import HistoryTooLong, SessionsUnavailable
from proxy.state.sessions.sessions import Sessions
from proxy.state.spaces import SIGNATURES
from tests.support.session_stores import (
    MIB,
    Replica,
    keep_chain,
    memory_sessions,
    record,
    replicas,
    shared_dictionaries,
    texts,
    user,
)
from tests.support.sessions_contract import PLAN, Pair, SessionsContract
from tests.support.sqlite_stores import opened


class TestInMemory(SessionsContract):
    """One process without a store outside of it."""

    @pytest.fixture
    def pair(self) -> Pair:
        sessions = memory_sessions()
        return sessions, sessions


class TestInOneDictionary(SessionsContract):
    """Two replicas over a backend that they share."""

    @pytest.fixture
    async def pair(self) -> AsyncIterator[Pair]:
        async with replicas(shared_dictionaries(2)) as (one, other):
            yield one.sessions, other.sessions


class TestInSqlite(SessionsContract):
    """One process with a file."""

    @pytest.fixture
    async def pair(self, tmp_path: Path) -> AsyncIterator[Pair]:
        async with opened(tmp_path / "state.db") as backend, replicas([backend]) as (one,):
            yield one.sessions, one.sessions


async def calls_of(sessions: Sessions) -> None:
    """Check that each method raises the error of a store that cannot be asked."""
    page = record(7, 1, conversation_id=None)
    for call in (
        sessions.keep_response("blue", record(9)),
        sessions.keep_response("blue", page),
        sessions.keep_response("blue", record(8, conversation_id="conv_1")),
        sessions.find_response("blue", "resp_1"),
        sessions.find_input("blue", "resp_1"),
        sessions.history("blue", "resp_1"),
        sessions.find_items("blue", ["msg_a1"]),
        sessions.delete_response("blue", "resp_1"),
        sessions.create_conversation("blue", PLAN),
        sessions.find_conversation("blue", "conv_1"),
        sessions.update_conversation("blue", "conv_1", {}),
        sessions.append_items("blue", "conv_1", [user("x")]),
        sessions.conversation_history("blue", "conv_1"),
        sessions.list_items("blue", "conv_1"),
        sessions.find_item("blue", "conv_1", "msg_1"),
        sessions.delete_item("blue", "conv_1", "msg_1"),
        sessions.delete_conversation("blue", "conv_1"),
        sessions.purge("blue"),
    ):
        with pytest.raises(SessionsUnavailable) as caught:
            await call
        assert caught.value.http_status == 503
        assert caught.value.headers == {"retry-after": "2"}


@pytest.mark.parametrize("kind", [kind for kind in FaultKind if kind is not FaultKind.TOO_LARGE])
async def test_store_that_fails_is_never_an_unknown_id(kind: FaultKind) -> None:
    """Each method raises, whatever the failure is, and also once the circuit is open."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        await keep_chain(one.sessions, "blue", 3)
        await one.sessions.create_conversation("blue", PLAN, [user("hi")])
        backend.fail(kind)
        await calls_of(one.sessions)
        backend.fail(None)
        await asyncio.sleep(1.1)  # the ping closes the circuit

        assert await one.sessions.history("blue", "resp_2") is not None


async def test_store_that_never_ran_is_not_empty() -> None:
    """Before the store has answered for the first time, no id is unknown."""
    [backend] = shared_dictionaries(1)
    await calls_of(Replica(backend).sessions)
    backend.fail(FaultKind.CONNECTION)
    async with replicas([backend]) as (one,):
        await calls_of(one.sessions)


async def test_failure_in_the_midst_of_a_chain_is_no_hole() -> None:
    """A look-up that fails after others worked raises, and nothing of the history is returned."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        await keep_chain(one.sessions, "blue", 150)
        for failing in range(1, 5):
            calls = iter(range(1, 100))
            backend.fault = lambda method, calls=calls, failing=failing: (  # type: ignore[misc]
                FaultKind.TIMEOUT
                if method == "get" and ":sessions:" in backend.asked[0] and next(calls) == failing
                else None
            )
            with pytest.raises(SessionsUnavailable):
                await one.sessions.history("blue", "resp_149")
            await asyncio.sleep(0)
        backend.fail(None)


async def test_renewal_that_fails_does_not_fail_the_request() -> None:
    """The history was read, so it is used."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        await keep_chain(one.sessions, "blue", 2)
        backend.fail(FaultKind.FULL, "renew", "change_account")

        assert await one.sessions.history("blue", "resp_1") is not None


async def test_damaged_values_are_unknown_and_counted() -> None:
    """Each value of a response in turn is cut, changed or replaced by another's."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        await keep_chain(one.sessions, "blue", 2)
        names = [name for name in backend.values if ":sessions:" in name]
        whole = dict(backend.values)
        lost = 0
        for name in names:
            value = whole[name]
            for damaged in (b"", value[:-1], value[:20], b"\x01" + value[1:-1] + b"x", whole[names[0]][::-1]):
                backend.values[name] = damaged
                before = one.events.errors[FaultKind.CORRUPT]
                history = await one.sessions.history("blue", "resp_1")
                if history is None:
                    lost += 1
                    assert one.events.errors[FaultKind.CORRUPT] > before
                else:
                    assert texts(history.items) == ["q0", "a0", "q1", "a1"]
            backend.values[name] = value

    assert lost == 4 * 5  # the step and the input of each response


async def test_value_of_another_form_is_unknown_and_counted() -> None:
    """A value that another version wrote under a known name is no history."""
    sessions = memory_sessions()
    await sessions.keep_response("blue", record(1))
    for key in ("t:resp_1", "n:resp_1"):
        stands = dict(await sessions.store.get("blue", [key]))[key]
        for other in ("i:msg_a1", "r:resp_1"):
            wrong = dict(await sessions.store.get("blue", [other]))[other]
            account = sessions.store._accounts["blue"]  # type: ignore[attr-defined]
            kept = account.values[key]
            account.values[key] = kept._replace(value=wrong)
            assert await sessions.history("blue", "resp_1") is None
            account.values[key] = kept._replace(value=stands)
    assert await sessions.history("blue", "resp_1") is not None
    assert sessions.store.corrupt >= 4  # type: ignore[attr-defined]


async def test_record_beyond_half_of_the_bound_is_not_kept_and_evicts_nothing() -> None:
    """A record may not drive out all others of its client."""
    sessions = memory_sessions(Limits(60.0, Bounds(40_000, 80_000)))
    assert await sessions.keep_response("blue", record(1))
    noise = random.Random(1).randbytes(20_000).hex()
    assert not await sessions.keep_response("blue", record(2, output=[user(noise)]))
    await sessions.create_conversation("blue", PLAN)
    assert not await sessions.keep_response("blue", record(3, output=[user(noise)], conversation_id="conv_1"))
    with pytest.raises(HistoryTooLong) as caught:
        await sessions.append_items("blue", "conv_1", [user(noise)])

    assert caught.value.param == "items"
    assert await sessions.history("blue", "resp_1") is not None
    assert await sessions.find_response("blue", "resp_2") is None


async def test_small_values_that_unpack_to_large_ones_are_refused() -> None:
    """A history beyond the bound of a body is refused before it is unpacked, and so are many references."""
    sessions = memory_sessions(max_bytes=MIB)
    for number in range(8):
        item = user("a" * 200_000, id=f"msg_{number}")
        assert await sessions.keep_response(
            "blue", record(number, number - 1 if number else None, input=[item])
        )
    assert await sessions.history("blue", "resp_3") is not None
    for call in (
        sessions.history("blue", "resp_7"),
        sessions.find_items("blue", [f"msg_{number}" for number in range(8)]),
    ):
        with pytest.raises(HistoryTooLong) as caught:
            await call
        assert caught.value.http_status == 400
        assert "sessions.turns" in caught.value.message


async def test_used_chain_outlives_its_retention_and_others_expire() -> None:
    """The retention counts from the last use, for each value of the chain."""
    now = [0.0]
    limits = Limits(100.0, Bounds(MIB, MIB))
    sessions = Sessions(MemoryRecords(limits, lambda: now[0]), MIB, clock=lambda: now[0], renew_after_s=10.0)
    await keep_chain(sessions, "blue", 3)
    await sessions.keep_response("blue", record(9))
    for _ in range(10):
        now[0] += 50.0
        assert await sessions.history("blue", "resp_2") is not None

    assert await sessions.history("blue", "resp_9") is None
    assert await sessions.find_response("blue", "resp_0") is not None
    now[0] += 101.0
    assert await sessions.history("blue", "resp_2") is None


async def test_full_key_loses_its_oldest_responses_and_no_signature() -> None:
    """The bound of a key holds over many responses, and other facts of the store stay."""
    [backend] = shared_dictionaries(1)
    limits = Limits(60.0, Bounds(60_000, 100_000))
    async with replicas([backend], limits) as (one,):
        await one.store.put(SIGNATURES, {"call_1": b"signed"}, tenant="blue")
        await one.sessions.keep_response("red", record(1))
        for number in range(100):
            assert await one.sessions.keep_response("blue", record(number))
        size = sum(len(value) + ENTRY_BYTES for name, value in backend.values.items() if ":kept:" in name)

        assert size <= 2 * 60_000
        assert await one.sessions.history("blue", "resp_0") is None
        assert await one.sessions.history("blue", "resp_99") is not None
        assert await one.sessions.history("red", "resp_1") is not None
        assert len([name for name in backend.values if name.endswith(":signatures")]) == 1


async def test_names_in_a_store_tell_nothing() -> None:
    """No name holds the client's name or an id, and two clients' names for one id differ."""
    [backend] = shared_dictionaries(1)
    async with replicas([backend]) as (one,):
        for tenant in ("night-shift", "ci"):
            await one.sessions.keep_response(tenant, record(1))
            await one.sessions.create_conversation(tenant, Conversation("conv_1", 1, {}))
        names = " ".join(backend.values)

        assert len({name for name in backend.values if ":kept:" in name}) == 10
        for word in ("night", "ci:", "resp_", "msg_", "conv"):
            assert word not in names.replace(":sessions:", "")
