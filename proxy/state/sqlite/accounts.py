"""The accounts in an SQLite store: entries whose names begin with their account, within bounds in bytes.

The bytes of each account are counted in memory, since one process uses the file. Entries that expire or are evicted for
the whole file are still counted. So the count may be too high, and never too low. It is made anew when it passes a
bound.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Protocol

from proxy.state.external.backend import ENTRY_BYTES, AccountChange, Bounds, Entry

_CLEARED_AT_ONCE = 500
_ROOM_SHARE = 16
"""An account that passed a bound is cut by one in this many bytes more, so that the next look at it is not soon."""

_SIZES = "SELECT name, length(value) FROM entries WHERE name >= ? AND name < ?"
_OLDEST = "SELECT name, length(value) FROM entries WHERE name >= ? AND name < ? ORDER BY used_at, id"
_SOME = f"SELECT name FROM entries WHERE name >= ? AND name < ? LIMIT {_CLEARED_AT_ONCE}"
_RENEW = "UPDATE entries SET used_at = ?, expires_at = ?, lifetime_s = ? WHERE name = ? AND expires_at > ?"


class _Entries(Protocol):
    """The entries of the file (:class:`proxy.state.sqlite.entries.SqliteEntries`)."""

    def get(self, names: Sequence[str], now: float) -> dict[str, bytes]: ...

    def put(self, entries: Iterable[Entry], now: float) -> None: ...

    def delete(self, names: Iterable[str]) -> None: ...


class SqliteAccounts:
    """The accounts among *entries* in *connection*. Each method may raise :class:`sqlite3.Error`.

    Methods need a transaction around them. *now* is the wall clock's time in seconds.
    """

    def __init__(self, connection: sqlite3.Connection, entries: _Entries) -> None:
        self._connection = connection
        self._entries = entries
        self._bytes: dict[str, int] | None = None
        """The bytes of each account, or None where they are not known."""

    def change(self, change: AccountChange, now: float) -> bool:
        """Change an account as :meth:`proxy.state.external.backend.Backend.change_account` does."""
        expected = change.expected
        if expected is not None:
            stands = self._entries.get((expected.name,), now).get(expected.name)
            if stands != expected.value:
                return False
        self._entries.put(change.entries, now)
        self._entries.delete(change.removed)
        if not change.entries:
            return True
        counted = self._count(change.account)
        added = sum(len(entry.value) + ENTRY_BYTES for entry in change.entries)
        counted[change.account] = counted.get(change.account, 0) + added
        self._keep_within(change.account, change.bounds)
        return True

    def renew(self, names: Sequence[str], lifetime_s: float, now: float) -> None:
        """Renew entries as :meth:`proxy.state.external.backend.Backend.renew` does."""
        rows = [(int(now), now + lifetime_s, lifetime_s, name, now) for name in names]
        self._connection.executemany(_RENEW, rows)

    def clear(self, account: str) -> int:
        """Delete entries as :meth:`proxy.state.external.backend.Backend.clear_account` does."""
        names = [name for (name,) in self._connection.execute(_SOME, _range_of(account))]
        self._entries.delete(names)
        self.forget_bytes()
        return len(names)

    def forget_bytes(self) -> None:
        """Count the bytes of the accounts anew before the next change. Called after a transaction was undone too."""
        self._bytes = None

    def _count(self, account: str) -> dict[str, int]:
        """Return the bytes of all accounts. They are read from the file where they are not known."""
        if self._bytes is None:
            counted = dict[str, int]()
            first = account.rpartition("{")[0]
            for name, size in self._connection.execute(_SIZES, (first + "{", first + "|")):
                owner = name[: len(account)]
                counted[owner] = counted.get(owner, 0) + size + ENTRY_BYTES
            self._bytes = counted
        return self._bytes

    def _keep_within(self, account: str, bounds: Bounds) -> None:
        counted = self._count(account)
        if counted.get(account, 0) <= bounds.account_bytes and sum(counted.values()) <= bounds.all_bytes:
            return
        self.forget_bytes()
        counted = self._count(account)
        if counted.get(account, 0) > bounds.account_bytes:
            self._shrink(account, bounds.account_bytes, counted)
        while sum(counted.values()) > bounds.all_bytes:
            largest = max(counted, key=lambda each: counted[each])
            others = sum(counted.values()) - counted[largest]
            fair = max(_second(counted), bounds.all_bytes - others)
            self._shrink(largest, min(fair, counted[largest] - 1), counted)

    def _shrink(self, account: str, most: int, counted: dict[str, int]) -> None:
        """Delete the least recently used entries of *account*, until it has *most* bytes and some room more."""
        room = most - most // _ROOM_SHARE
        gone = []
        for name, size in self._connection.execute(_OLDEST, _range_of(account)):
            if counted[account] <= room:
                break
            gone.append(name)
            counted[account] -= size + ENTRY_BYTES
        self._entries.delete(gone)
        if not gone:
            del counted[account]


def _second(counted: dict[str, int]) -> int:
    """Return the bytes of the account with the second most, or 0."""
    return sorted(counted.values())[-2] if len(counted) > 1 else 0


def _range_of(account: str) -> tuple[str, str]:
    """Return the bounds of the names of an account's entries. A semicolon follows the colon in ASCII."""
    return f"{account}:", f"{account};"
