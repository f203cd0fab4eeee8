"""Tests of the exchange of spend with a server of a few lines. Real servers are in ``tests/process/state``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import pytest
from typing_extensions import override

from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.spend_book import AccountSpend
from proxy.state.limits.spend_entry import SpendEntry, write_entry
from proxy.state.redis.connection import Command, Reply
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.exchange_spend import FOLDED, MOST_ENTRIES, SILENT_S, exchange_spend
from proxy.state.redis.limit_arguments import Sender
from proxy.state.redis.limit_scripts import FOLD, MEET, RESTORE, SETTLE
from tests.support.limited_keys import FOREVER

SENDER = Sender("me", 1, 1_000.0, 1_800_000_000.0)
NOW_US = 1_800_000_000_000_000
SCRIPTS = {MEET.text: "meet", SETTLE.text: "write", RESTORE.text: "restore", FOLD.text: "fold"}


class _Nothing(set[str]):
    """Stays empty, so that each script is sent with its text."""

    @override
    def update(self, *others: Iterable[str]) -> None: ...


class Server:
    """Answers with the entries that stand, and notes the scripts that it runs."""

    def __init__(self, *living: bytes, **entries: SpendEntry) -> None:
        self.living = living
        self.entries = entries
        self.known_scripts = _Nothing()
        self.ran: list[str] = []
        self.arguments: dict[str, Command] = {}

    async def exchange(self, commands: Sequence[Command]) -> list[Reply]:
        """Reply to *commands*."""
        return [self._reply(command) for command in commands]

    def _reply(self, command: Command) -> Reply:
        if command[0] == "HGETALL":
            pairs = self.entries.items()
            return [part for name, entry in pairs for part in (name.encode(), write_entry(entry).encode())]
        name = SCRIPTS[str(command[1])]
        self.ran.append(name)
        self.arguments[name] = command
        return [str(NOW_US).encode(), *self.living] if name == "meet" else 1


async def exchange(server: Server, spend: AccountSpend) -> int:
    """Exchange *spend* with *server*, and return the number of processes that live."""
    sealer = EntrySealer("tr", b"s" * 32)
    return await exchange_spend(cast(RedisConnections, server), sealer, SENDER, [spend])


def entry(nano: int, version: int = 1, reserved: int | None = 0, expires_us: int = NOW_US) -> SpendEntry:
    """Return the entry of a process that has spent *nano*."""
    return SpendEntry(version, nano, 0, 0, 1, reserved, expires_us)


@pytest.mark.parametrize(("living", "number"), [((), 1), ((b"me",), 1), ((b"me", b"a", b"b"), 3)])
async def test_processes_that_live_are_counted(living: tuple[bytes, ...], number: int) -> None:
    assert await exchange(Server(*living), AccountSpend("key:a", FOREVER)) == number


async def test_entries_of_others_are_added_up_and_own_numbers_are_written_once() -> None:
    spend, server = (
        AccountSpend("key:a", FOREVER),
        Server(a=entry(30), b=entry(5, reserved=7, expires_us=NOW_US + 1)),
    )
    spend.add(10, 0, 1, 1)
    await exchange(server, spend)

    assert (spend.spent_nano, spend.others_reserved, spend.is_written) == (45, 7, True)
    assert server.ran == ["meet", "write", "write"], "nothing of this process stands in the server's reply"


async def test_entries_that_a_server_has_lost_are_written_back() -> None:
    """The process that wrote them may be dead (litellm#30684)."""
    spend = AccountSpend("key:a", FOREVER)
    await exchange(Server(dead=entry(30, 4)), spend)
    emptied = Server()
    await exchange(emptied, spend)

    assert emptied.ran == ["meet", "restore"]
    assert emptied.arguments["restore"][-2:] == ("dead", write_entry(entry(30, 4)))
    assert spend.spent_nano == 30


async def test_older_entries_of_a_restored_server_are_replaced_and_newer_ones_are_read() -> None:
    spend = AccountSpend("key:a", FOREVER)
    await exchange(Server(a=entry(30, 4), b=entry(1, 4)), spend)
    restored = Server(a=entry(20, 3), b=entry(2, 5))
    await exchange(restored, spend)

    assert restored.arguments["restore"][-2:] == ("a", write_entry(entry(30, 4)))
    assert spend.spent_nano == 32


async def test_entries_of_silent_processes_are_folded_where_they_are_many() -> None:
    """Those of processes that live, or that have reserved money, stay."""
    silent = NOW_US - SILENT_S * 1_000_000 - 1
    entries = {f"p{number}": entry(1, expires_us=silent) for number in range(MOST_ENTRIES)}
    entries |= {"alive": entry(1, expires_us=silent), "busy": entry(1, reserved=1, expires_us=silent)}
    server = Server(b"alive", **entries)
    await exchange(server, AccountSpend("key:a", FOREVER))

    assert server.ran == ["meet", "fold"]
    assert not {"alive", "busy", FOLDED} & set(server.arguments["fold"][5:])
