"""The tests of accounts that every backend of the store has to pass (:class:`proxy.state.external.backend.Backend`).

They are used as those of :mod:`tests.support.backend_contract` are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from proxy.state.external.backend import ENTRY_BYTES, AccountChange, Backend, Bounds, Entry, Expected
from tests.support.backend_contract import AT_ONCE, BINARY, LONG_S, PAUSE_S, SHORT_S, entries_of, name_of

ACCOUNT, OTHER = "contract:1:kept:{aa}", "contract:1:kept:{bb}"
"""Two accounts. Their names sort one behind the other, as all names of accounts do."""

CLOCK_S = 1.05
"""Seconds after which two uses have different times on every backend."""

WIDE = Bounds(2**20, 2**21)


def kept(number: int, value: bytes = b"kept", account: str = ACCOUNT) -> Entry:
    """Return an entry of an account."""
    return Entry(f"{account}:sessions:{number:08x}", value, LONG_S)


def names_of(entries: Sequence[Entry]) -> list[str]:
    """Return the names of *entries*."""
    return [entry.name for entry in entries]


class AccountContract:
    """The tests of accounts. A subclass has the fixture ``backend``, as for the other suite."""

    async def test_entries_of_an_account_are_read_as_others_are(self, backend: Backend) -> None:
        entries = [kept(number, b"%d" % number) for number in range(5)]

        assert await backend.change_account(AccountChange(ACCOUNT, WIDE, entries))
        assert await backend.get(names_of(entries)) == {entry.name: entry.value for entry in entries}

    async def test_values_of_any_bytes_and_256_kib_come_back(self, backend: Backend) -> None:
        entries = [kept(number, value) for number, value in enumerate(BINARY.values())]
        entries.append(kept(99, bytes(range(256)) * 1_024))

        assert await backend.change_account(AccountChange(ACCOUNT, WIDE, entries))
        assert await backend.get(names_of(entries)) == {entry.name: entry.value for entry in entries}

    async def test_change_with_another_value_than_expected_changes_nothing(self, backend: Backend) -> None:
        head = kept(0, b"head")
        await backend.change_account(AccountChange(ACCOUNT, WIDE, [head, kept(1, b"gone?")]))
        for value in (None, b"other", b"", b"head2"):
            change = AccountChange(
                ACCOUNT, WIDE, [kept(0, b"new"), kept(2)], [kept(1).name], Expected(head.name, value)
            )
            assert not await backend.change_account(change)

        assert await backend.get(names_of([head, kept(1), kept(2)])) == {
            head.name: b"head",
            kept(1).name: b"gone?",
        }

    async def test_change_with_the_expected_value_is_made_whole(self, backend: Backend) -> None:
        name = kept(0).name
        first = AccountChange(ACCOUNT, WIDE, [kept(0, b"1"), kept(1)], expected=Expected(name, None))
        second = AccountChange(ACCOUNT, WIDE, [kept(0, b"2")], [kept(1).name], expected=Expected(name, b"1"))

        assert await backend.change_account(first)
        assert not await backend.change_account(first)
        assert await backend.change_account(second)
        assert await backend.get(names_of([kept(0), kept(1)])) == {name: b"2"}

    async def test_only_one_of_many_changes_at_a_time_finds_what_it_expects(self, backend: Backend) -> None:
        changes = [
            AccountChange(ACCOUNT, WIDE, [kept(0, b"%d" % number)], expected=Expected(kept(0).name, None))
            for number in range(AT_ONCE)
        ]

        assert sum(await asyncio.gather(*map(backend.change_account, changes))) == 1

    async def test_removed_entries_are_missing_and_make_room(self, backend: Backend) -> None:
        bounds = Bounds(4 * (1_000 + ENTRY_BYTES), 2**20)
        for number in range(20):
            await backend.change_account(
                AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)], [kept(number - 1).name])
            )
        await backend.change_account(AccountChange(ACCOUNT, bounds, (), [kept(19).name]))
        entries = [kept(number, b"a" * 1_000) for number in range(30, 33)]
        await backend.change_account(AccountChange(ACCOUNT, bounds, entries))

        assert set(await backend.get([kept(number).name for number in range(40)])) == set(names_of(entries))

    async def test_full_account_loses_its_oldest_entries_and_others_nothing(self, backend: Backend) -> None:
        bounds = Bounds(10 * (1_000 + ENTRY_BYTES), 2**20)
        plain, other = entries_of([b"signature"] * 3), [kept(1, b"other", OTHER)]
        await backend.put(plain)
        await backend.change_account(AccountChange(OTHER, bounds, other))
        for number in range(30):
            await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)]))
        stand = await backend.get([kept(number).name for number in range(30)])

        assert 8 <= len(stand) <= 10
        assert sorted(stand) == [kept(number).name for number in range(30 - len(stand), 30)]
        assert len(await backend.get(names_of([*plain, *other]))) == 4

    async def test_beyond_the_bound_of_all_the_largest_account_loses(self, backend: Backend) -> None:
        bounds = Bounds(2**20, 12 * (1_000 + ENTRY_BYTES))
        small = [kept(number, b"b" * 1_000, OTHER) for number in range(3)]
        await backend.change_account(AccountChange(OTHER, bounds, small))
        for number in range(30):
            await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)]))
        stand = await backend.get([kept(number).name for number in range(30)])

        assert len(await backend.get(names_of(small))) == 3
        assert 7 <= len(stand) <= 9
        assert kept(29).name in stand

    async def test_renewed_entries_live_on_and_are_dropped_last(self, backend: Backend) -> None:
        short = [kept(number)._replace(lifetime_s=SHORT_S) for number in range(2)]
        await backend.change_account(AccountChange(ACCOUNT, WIDE, short))
        await backend.renew(ACCOUNT, [short[0].name, kept(77).name], LONG_S)
        await asyncio.sleep(PAUSE_S)

        assert set(await backend.get(names_of([*short, kept(77)]))) == {short[0].name}

    async def test_use_counts_for_the_order_in_which_entries_are_dropped(self, backend: Backend) -> None:
        bounds = Bounds(4 * (1_000 + ENTRY_BYTES), 2**20)
        for number in range(3):
            await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)]))
        await asyncio.sleep(CLOCK_S)
        await backend.renew(ACCOUNT, [kept(0).name], LONG_S)
        for number in (3, 4):
            await backend.change_account(AccountChange(ACCOUNT, bounds, [kept(number, b"a" * 1_000)]))
        stand = await backend.get([kept(number).name for number in range(5)])

        assert kept(0).name in stand
        assert kept(1).name not in stand

    async def test_cleared_account_is_empty_and_others_are_not(self, backend: Backend) -> None:
        entries = [kept(number) for number in range(1_100)]
        await backend.put(entries_of([b"signature"]))
        await backend.change_account(AccountChange(OTHER, WIDE, [kept(1, account=OTHER)]))
        for start in range(0, len(entries), 100):
            await backend.change_account(AccountChange(ACCOUNT, WIDE, entries[start : start + 100]))
        gone = 0
        while some := await backend.clear_account(ACCOUNT):
            gone += some

        assert gone == len(entries)
        assert await backend.get(names_of(entries)) == {}
        assert len(await backend.get([kept(1, account=OTHER).name, name_of(0)])) == 2
        assert await backend.clear_account(ACCOUNT) == 0

    async def test_expired_entries_no_longer_count(self, backend: Backend) -> None:
        bounds = Bounds(4 * (1_000 + ENTRY_BYTES), 2**20)
        old = [kept(number, b"a" * 1_000)._replace(lifetime_s=SHORT_S) for number in range(4)]
        await backend.change_account(AccountChange(ACCOUNT, bounds, old))
        await asyncio.sleep(PAUSE_S)
        new = [kept(number, b"b" * 1_000)._replace(lifetime_s=SHORT_S) for number in range(10, 13)]
        await backend.change_account(AccountChange(ACCOUNT, bounds, new))

        assert len(await backend.get(names_of(new))) == 3
