"""Tests on real servers that the permissions in ``docs/state.md`` are enough for a store, and that all are needed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proxy.config.redis_address import parse_redis_address
from proxy.state.external.backend import (
    ENTRY_BYTES,
    AccountChange,
    Bounds,
    Entry,
    Expected,
    FaultKind,
    StoreFault,
)
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.limits.claims import Claims
from proxy.state.limits.spend_book import SpendBook
from proxy.state.redis.backend import RedisBackend
from proxy.state.redis.connection import ReplyError
from proxy.state.redis.connections import RedisConnections
from proxy.state.redis.exchange_spend import exchange_spend, leave
from proxy.state.redis.limit_arguments import Sender, admit_call, settle_call, spend_name
from proxy.state.redis.limit_scripts import FOLD, RESTORE
from proxy.state.redis.scripts import run_scripts
from tests.support.limited_keys import FOREVER, money, place, rate, settled
from tests.support.store_servers import StoreServer

DOCUMENT = Path(__file__).parents[3] / "docs" / "state.md"
NAME = "tr:1:{0123}:signatures"
SPARE = frozenset({"info"})
"""Permissions that only make a message better: without INFO, a cluster is found out by its first error."""


def documented() -> list[str]:
    """Return the words of the command that the document tells operators to send."""
    line = re.search(r"^ *(ACL SETUSER .*)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert line is not None
    return line[1].split()


def permissions() -> list[str]:
    """Return the commands that the documented user may send."""
    return [word[1:] for word in documented() if word.startswith("+")]


async def use_all_of(server: StoreServer, name: str = NAME) -> None:
    """Do everything that a store does, as the documented user and in a database other than 0.

    The server knows no script at first.
    """
    address = server.url.replace("redis://", "redis://turnright:PASSWORD@") + "/1"
    backend = RedisBackend(parse_redis_address(address))
    server.command("SCRIPT", "FLUSH")
    try:
        await backend.open()
        await backend.ping()
        refused = await backend.put([Entry(name, b"a", 60)])
        if refused:
            raise StoreFault(FaultKind.REFUSED)
        assert await backend.get([name]) == {name: b"a"}
        for old, new in ((b"a", b"b"), (b"b", None), (None, b"c")):
            assert await backend.swap(name, old, new, 60) == new
        await backend.delete([name])
        assert await backend.get([name]) == {}
        await use_accounts(backend, name.partition(":")[0])
        await use_limits(address, name.partition(":")[0])
    finally:
        await backend.close()


async def use_accounts(backend: RedisBackend, prefix: str) -> None:
    """Do everything that sessions do, so that each command of the scripts is sent."""
    account = f"{prefix}:1:kept:{{0123}}"
    bounds = Bounds(2 * ENTRY_BYTES, 2 * ENTRY_BYTES)
    for number in range(3):
        entry = Entry(f"{account}:sessions:{number}", b"a", 60)
        assert await backend.change_account(
            AccountChange(account, bounds, [entry], expected=Expected(entry.name, None))
        )
    await backend.renew(account, [f"{account}:sessions:2"], 60)
    assert await backend.clear_account(account) == 1
    assert await backend.clear_account(account) == 0


async def use_limits(address: str, prefix: str) -> None:
    """Do everything that limits do, so that each command of their scripts is sent."""
    connections = RedisConnections(parse_redis_address(address))
    sealer, sender = EntrySealer(prefix, b"s" * 32), Sender("p", 1, 0.0, 0.0)
    claims = Claims("id", (rate(),), (place(),), (money(1),))
    spend = SpendBook().spend_of("key:a", FOREVER)
    entry = "1 1 1 1 1 0 1"
    name = spend_name(sealer, spend)
    try:
        calls = [
            admit_call(claims, [spend], sealer, sender),
            settle_call(settled(claims), [spend], sealer, sender),
            (RESTORE, (1, name, 60_000, 1, "gone", "x", entry)),
            (FOLD, (1, name, "folded", "x", entry)),
        ]
        replies = await run_scripts(connections, calls)
        if any(isinstance(reply, ReplyError) for reply in replies):
            raise StoreFault(FaultKind.REFUSED)
        await exchange_spend(connections, sealer, sender, [spend])
        if set(spend.others) != {"folded"}:
            raise StoreFault(FaultKind.REFUSED)
        await leave(connections, sealer, sender)
    finally:
        await connections.give_up()


@pytest.fixture
def limited(server: StoreServer) -> StoreServer:
    """Return each server in turn, with the documented user."""
    server.command("ACL", "DELUSER", "turnright")
    server.command(*documented())
    return server


async def test_the_permissions_are_enough(limited: StoreServer) -> None:
    """The documented user can do everything that a store does."""
    await use_all_of(limited)


@pytest.mark.parametrize("permission", sorted({*permissions()} - SPARE))
async def test_each_permission_is_needed(limited: StoreServer, permission: str) -> None:
    """Without one of the permissions, something fails."""
    limited.command("ACL", "SETUSER", "turnright", f"-{permission}")

    with pytest.raises(StoreFault):
        await use_all_of(limited)


async def test_other_programs_names_are_out_of_reach(limited: StoreServer) -> None:
    """The documented user can neither read nor write a name with another prefix."""
    with pytest.raises(StoreFault):
        await use_all_of(limited, "other:1")
