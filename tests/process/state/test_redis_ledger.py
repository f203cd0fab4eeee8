"""Tests of the ledger on a real Valkey, and on the oldest supported Redis: the contract, replicas, and lost data."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import FaultKind
from proxy.state.external.external_store import ExternalStore
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.claims import Settlement, Verdict
from proxy.state.limits.spend_book import SpendBook
from proxy.state.memory import MemoryStore
from proxy.state.redis.backend import RedisBackend
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.exchange_spend import SILENT_S
from proxy.state.redis.ledger import RedisLedger
from proxy.state.redis.limit_arguments import Sender, admit_call, settle_call
from proxy.state.redis.scripts import run_scripts
from tests.support.dictionary_backend import CountedEvents
from tests.support.ledger_contract import Books, LedgerContract, admitted, charge, claim, spend_of
from tests.support.limited_keys import FOREVER, SLOW, money, place, rate, settled
from tests.support.store_servers import StoreServer

SECRET = b"s" * 32


@asynccontextmanager
async def running(server: StoreServer) -> AsyncIterator[Books]:
    """Run one process's ledger on *server*."""
    address = parse_redis_address(server.url)
    store = ExternalStore(RedisBackend(address), MemoryStore(100_000), "tr", SECRET, CountedEvents())
    book = SpendBook()
    ledger = RedisLedger(address, store, book)
    async with store.running(ledger.run):
        yield ledger, book


class TestRedisLedger(LedgerContract):
    """Runs the suite on both servers."""

    @pytest.fixture
    async def ledger(self, server: StoreServer) -> AsyncIterator[Books]:
        async with running(server) as books:
            yield books


@pytest.fixture
async def replicas(server: StoreServer) -> AsyncIterator[list[Books]]:
    """Run three processes' ledgers on one server."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(running(server)) for _ in range(3)]


async def exchange(*replicas: Books) -> None:
    """Let each of *replicas* exchange the spend of the account."""
    for books in replicas:
        assert await books[0].exchange([spend_of(books)])


async def until_answered(books: Books) -> None:
    """Exchange until the server answers."""
    async with asyncio.timeout(10):
        while not await books[0].exchange([]):  # noqa: ASYNC110 - a store that comes back says nothing
            await asyncio.sleep(0.05)


async def spend(books: Books, reserved: int, nano: int) -> Verdict:
    """Admit a request, and charge *nano* for it if it was granted."""
    claims = claim(money(reserved))
    verdict = await admitted(books[0], claims)
    if verdict.granted:
        charge(books, claims, nano)
        await books[0].flush()
    return verdict


async def test_replicas_share_buckets_places_and_money(replicas: list[Books]) -> None:
    one, two, three = (each[0] for each in replicas)
    await admitted(one, claim(rate(amount=SLOW - 1), place(most=2), money(60)))

    assert (await admitted(two, claim(rate(), place(most=2), money(40)))).granted
    refused = await admitted(three, claim(rate(), place(most=2), money(1)))
    assert [wait_s > 0 for wait_s in refused.waits_s] == [True, True, True]


async def test_place_is_free_for_another_process_once_the_end_has_arrived(replicas: list[Books]) -> None:
    """A client sends its next request to another process as soon as it has its answer."""
    (one, _), (two, _) = replicas[:2]
    for _ in range(20):
        claims = claim(place(most=1))
        assert (await admitted(one, claims)).granted
        one.settle(Settlement(claims.id, parallel=claims.parallel))
        await one.arrive(claims.id)

        assert (await admitted(two, claims)).granted
        two.settle(Settlement(claims.id, parallel=claims.parallel))
        await two.arrive(claims.id)


async def test_nobody_waits_for_a_place_that_is_free_or_cannot_be_freed(
    replicas: list[Books], server: StoreServer
) -> None:
    (ledger, _) = replicas[0]
    await ledger.arrive("unknown")
    server.freeze()
    try:
        claims = claim(place(most=1))
        ledger.settle(Settlement(claims.id, parallel=claims.parallel))
        async with asyncio.timeout(1):
            await ledger.arrive(claims.id)
    finally:
        server.thaw()


async def test_nobody_waits_for_one_of_many_places(replicas: list[Books]) -> None:
    """The place is sent with the next claims, which saves a round trip for each request of a key with many places."""
    (ledger, _) = replicas[0]
    claims = claim(place(most=1_000))
    assert (await admitted(ledger, claims)).granted
    ledger.settle(Settlement(claims.id, parallel=claims.parallel))
    waiting = ledger.arrive(claims.id)
    with pytest.raises(StopIteration):
        waiting.send(None)


async def test_spend_is_the_sum_over_all_processes(replicas: list[Books]) -> None:
    for number, books in enumerate(replicas, 1):
        await spend(books, 20, 10 * number)
    await exchange(*replicas)

    assert [spend_of(books).spent_nano for books in replicas] == [60, 60, 60]
    assert {len(spend_of(books).others) for books in replicas} == {2}


async def test_number_of_replicas_is_known(replicas: list[Books]) -> None:
    await exchange(*replicas, replicas[0])
    assert replicas[0][0].replicas == 3

    await replicas[2][0].flush()
    await exchange(replicas[0])
    assert replicas[0][0].replicas == 2


async def test_emptied_server_gets_all_totals_back(server: StoreServer, replicas: list[Books]) -> None:
    first, second, died = replicas
    for books in replicas:
        await spend(books, 20, 20)
    await exchange(*replicas, first, second)
    server.command("FLUSHALL")
    await exchange(first, second)

    assert not (await spend(first, 41, 0)).granted
    async with running(server) as fresh:
        assert (await spend(fresh, 41, 0)).spent_nano == (60,)
    assert spend_of(died).nano == 20


async def test_process_knows_the_totals_of_an_emptied_server(
    server: StoreServer, replicas: list[Books]
) -> None:
    first, second, _ = replicas
    await spend(first, 20, 20)
    await exchange(second)
    server.command("FLUSHALL")
    await exchange(second)

    assert spend_of(second).spent_nano == 20


async def test_emptied_server_is_not_overspent_before_the_totals_are_back(
    server: StoreServer, replicas: list[Books]
) -> None:
    await spend(replicas[0], 90, 90)
    await spend(replicas[1], 0, 0)
    await exchange(*replicas)
    server.command("FLUSHALL")

    assert (await spend(replicas[1], 11, 0)).spent_nano == (90,)


async def test_server_restored_from_an_old_copy_gets_the_newest_totals(
    server: StoreServer, replicas: list[Books]
) -> None:
    first, second, _ = replicas
    await spend(first, 10, 10)
    await exchange(first, second)
    [name] = server.command("KEYS", "*:spend:*")
    old = server.command("DUMP", name)
    await spend(first, 30, 30)
    await exchange(second)
    server.command("RESTORE", name, 0, old, "REPLACE")
    await exchange(second)

    assert (await spend(second, 61, 0)).spent_nano == (40,)


async def test_older_entry_that_another_restored_is_replaced_by_its_own_process(
    server: StoreServer, replicas: list[Books]
) -> None:
    first, second, third = replicas
    await spend(first, 10, 10)
    await exchange(first, second)
    await spend(first, 10, 10)
    server.command("FLUSHALL")
    await exchange(second, first, third)

    assert (await spend(third, 81, 0)).spent_nano == (20,)


async def test_reservation_that_expires_is_charged_once_as_estimated(replicas: list[Books]) -> None:
    died, second, third = replicas
    await admitted(died[0], claim(money(30, lifetime_s=0.05)))
    assert (await spend(second, 71, 0)).spent_nano == (0,)
    await asyncio.sleep(0.1)
    verdicts = [await spend(books, 71, 0) for books in (second, third, second)]
    await exchange(second, third)

    assert [each.spent_nano for each in verdicts] == [(30,)] * 3
    assert (spend_of(second).spent_nano, spend_of(second).others_reserved) == (30, 0)


async def test_process_that_comes_back_replaces_what_was_charged_for_it(replicas: list[Books]) -> None:
    slow, second, _ = replicas
    claims = claim(money(30, lifetime_s=0.05))
    await admitted(slow[0], claims)
    await asyncio.sleep(0.1)
    assert (await spend(second, 90, 0)).spent_nano == (30,)
    charge(slow, claims, 7)
    await slow[0].flush()

    assert (await spend(second, 94, 0)).spent_nano == (7,)


async def test_cancelled_request_leaves_nothing_behind(replicas: list[Books]) -> None:
    ledger = replicas[0][0]
    asked = [claim(rate(amount=SLOW), place(most=1), money(100)) for _ in range(5)]
    for turns, claims in enumerate(asked):
        task = asyncio.get_running_loop().create_task(ledger.admit(claims))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await ledger.flush()

    assert (await admitted(ledger, claim(rate(amount=SLOW), place(most=1), money(100)))).granted


async def test_batch_that_a_frozen_server_reads_late_changes_no_reservation(
    server: StoreServer, replicas: list[Books], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 0.05)
    ledger, _ = replicas[0]
    server.freeze()
    try:
        assert await ledger.admit(claim(money(100))) is None
    finally:
        server.thaw()
    await asyncio.gather(*map(until_answered, replicas))
    await admitted(ledger, claim(money(1)))

    assert (await admitted(replicas[1][0], claim(money(99)))).granted


async def test_call_of_an_older_batch_changes_no_spend(server: StoreServer) -> None:
    """A frozen server may read such a call from a connection that was given up, after calls of newer batches."""
    connections = RedisConnections(parse_redis_address(server.url))
    sealer, claims = EntrySealer("tr", SECRET), claim(money(10))
    spends = [SpendBook().spend_of("key:a", FOREVER)]
    newer, older = (Sender("p", version, 0.0, 0.0) for version in (5, 4))
    try:
        replies = await run_scripts(
            connections,
            [
                admit_call(claims, spends, sealer, newer),
                admit_call(claims, spends, sealer, older),
                settle_call(settled(claims), spends, sealer, older),
                admit_call(claim(money(90)), spends, sealer, newer),
            ],
        )
    finally:
        await connections.give_up()

    assert list(map(repr, replies)) == ["[1, 0, 0]", "[]", "1", "[1, 0, 0]"]
    [name] = server.command("KEYS", "*:spend:*")
    assert server.command("HGET", name, "p").startswith(b"5 0 0 0 0 100 ")


async def test_place_that_could_not_be_freed_is_freed_later(
    server: StoreServer, replicas: list[Books], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 0.05)
    books, claims = replicas[0], claim(place(most=1))
    await admitted(books[0], claims)
    server.freeze()
    try:
        charge(books, claims, 0)
        await asyncio.sleep(0.2)
    finally:
        server.thaw()
    await asyncio.gather(*map(until_answered, replicas))
    await books[0].flush()

    assert (await admitted(replicas[1][0], claim(place(most=1)))).granted


async def test_place_of_a_request_that_left_while_the_server_was_frozen_is_freed(
    server: StoreServer, replicas: list[Books], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server grants the place when it goes on, and nobody hears of it."""
    monkeypatch.setattr("proxy.state.redis.connection.REPLY_S", 0.05)
    books = replicas[0]
    await admitted(books[0], claim(money(1)))  # connects
    server.freeze()
    try:
        asked = asyncio.get_running_loop().create_task(books[0].admit(claim(place(most=1))))
        await asyncio.sleep(0.02)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await asyncio.sleep(0.2)
    finally:
        server.thaw()
    await asyncio.gather(*map(until_answered, replicas))
    await books[0].flush()

    assert (await admitted(replicas[1][0], claim(place(most=1)))).granted


@pytest.mark.parametrize(
    "spoil",
    [
        lambda name: ("SET", name, "no number"),
        lambda name: ("SET", name, "-1e999"),
        lambda name: ("DEL", name),
    ],
    ids=["text", "infinite", "missing"],
)
async def test_bucket_with_garbage_counts_as_full(
    server: StoreServer, replicas: list[Books], spoil: Callable[[bytes], tuple[str | bytes, ...]]
) -> None:
    await admitted(replicas[0][0], claim(rate(amount=SLOW)))
    [name] = server.command("KEYS", "*:rate:*")
    server.command(*spoil(name))

    assert (await admitted(replicas[0][0], claim(rate(amount=SLOW)))).granted


async def test_bucket_of_a_wrong_type_is_out_of_reach(server: StoreServer, replicas: list[Books]) -> None:
    await admitted(replicas[0][0], claim(rate()))
    [name] = server.command("KEYS", "*:rate:*")
    server.command("DEL", name)
    server.command("HSET", name, "a", "b")
    verdicts = await asyncio.gather(
        replicas[0][0].admit(claim(rate())), replicas[0][0].admit(claim(rate("other")))
    )

    assert verdicts[0] is None
    assert verdicts[1] is not None
    assert verdicts[1].granted


async def test_foreign_entries_of_spend_are_left_out(server: StoreServer, replicas: list[Books]) -> None:
    await spend(replicas[0], 10, 10)
    [name] = server.command("KEYS", "*:spend:*")
    server.command("HSET", name, "x", "1 2", "y", "", "z", b"\xff\xfe", "w", "-1 -2 -3 -4 -5 -6 -7")
    await exchange(*replicas)

    assert (await spend(replicas[1], 91, 0)).spent_nano == (10,)


async def test_names_tell_nothing(server: StoreServer, replicas: list[Books]) -> None:
    ledger, book = replicas[0]
    await admitted(ledger, claim(rate("key:ann:requests"), place("key:ann"), money(1, account="key:ann")))
    await ledger.exchange(list(book))
    names = server.command("KEYS", "*")

    assert len(names) == 4
    assert all(name.startswith(b"tr:1:{limits}:") for name in names)
    assert not any(b"ann" in name for name in names)
    assert all(server.command("PTTL", name) > 47 * 3_600_000 for name in names)


async def test_script_that_the_server_forgot_is_sent_again(
    server: StoreServer, replicas: list[Books]
) -> None:
    await spend(replicas[0], 1, 1)
    server.command("SCRIPT", "FLUSH")

    assert (await spend(replicas[0], 1, 1)).granted


def entries_of(count: int, age_s: int, now_us: int) -> list[str]:
    """Return *count* processes, each with an entry of 1 nano-dollar that was written *age_s* seconds ago."""
    written_us = now_us - age_s * 1_000_000
    return [part for number in range(count) for part in (f"{number:016x}", f"3 1 0 1 1 0 {written_us}")]


async def fold_entries(server: StoreServer, books: Books) -> bytes:
    """Let 600 processes end long ago, and fold their entries. Return the name of the spend."""
    await spend(books, 5, 5)
    [name] = server.command("KEYS", "*:spend:*")
    seconds, micros = server.command("TIME")
    now_us = int(seconds) * 1_000_000 + int(micros)
    server.command("HSET", name, *entries_of(600, SILENT_S + 60, now_us))
    server.command("HSET", name, "f" * 16, f"1 1 0 1 1 0 {now_us}")
    await exchange(books)
    await exchange(books)
    await exchange(books)
    assert isinstance(name, bytes)
    return name


async def test_entries_of_silent_processes_are_folded(server: StoreServer, replicas: list[Books]) -> None:
    name = await fold_entries(server, replicas[0])

    assert int(server.command("HLEN", name)) == 600 - 400 + 3
    assert server.command("HGET", name, "folded").startswith(b"1 400 0 400 400 0 ")
    assert server.command("HEXISTS", name, "f" * 16) == 1
    assert (await spend(replicas[1], 0, 0)).spent_nano == (606,)


async def test_folded_entries_are_not_restored(server: StoreServer, replicas: list[Books]) -> None:
    await fold_entries(server, replicas[0])
    await exchange(*replicas, *replicas)

    assert [spend_of(books).spent_nano for books in replicas] == [606] * 3


async def test_copy_from_before_the_folding_is_brought_up_to_date(
    server: StoreServer, replicas: list[Books]
) -> None:
    first, second, third = replicas
    await spend(second, 1, 1)
    [name] = server.command("KEYS", "*:spend:*")
    seconds, _ = server.command("TIME")
    server.command("HSET", name, *entries_of(600, SILENT_S + 60, int(seconds) * 1_000_000))
    old = server.command("DUMP", name)
    await exchange(first, first, first)
    server.command("RESTORE", name, 0, old, "REPLACE")
    await exchange(first, third, second, first, third)

    assert [spend_of(books).spent_nano for books in replicas] == [601] * 3
    assert int(server.command("HLEN", name)) < 300


async def test_full_server_frees_places_and_grants_nothing(
    server: StoreServer, replicas: list[Books]
) -> None:
    books, claims = replicas[0], claim(place(most=1), money(1))
    await admitted(books[0], claims)
    server.command("CONFIG", "SET", "maxmemory", "1")
    try:
        charge(books, claims, 1)
        await books[0].flush()
        assert await books[0].admit(claim(rate())) is None
        assert server.command("EVAL", "return #redis.call('KEYS', '*:places:*')", 0) == 0
    finally:
        server.command("CONFIG", "SET", "maxmemory", "0")
    await exchange(books)

    assert (await spend(replicas[1], 0, 0)).spent_nano == (1,)


async def test_user_without_the_permissions_is_an_error_that_is_counted(
    server: StoreServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = list[FaultKind]()
    monkeypatch.setattr(CountedEvents, "count_error", lambda _, kind: counted.append(kind))
    async with running(server) as books:
        server.command("ACL", "SETUSER", "default", "-hgetall", "-time")
        try:
            assert await books[0].admit(claim(rate(), money(1))) is None
            assert not await books[0].exchange([spend_of(books)])
        finally:
            server.command("ACL", "SETUSER", "default", "+@all")

    assert counted == [FaultKind.REFUSED] * 2
