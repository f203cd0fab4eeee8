"""The entries in the database of an SQLite store: read, written, swept when they expire, evicted when it is full.

An entry expires by the wall clock. If that clock is set back, sweeps shorten the entries, so that none outlives its
lifetime from then on (:meth:`SqliteEntries.sweep`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from proxy.state.external.backend import Entry
from proxy.state.sqlite.accounts import SqliteAccounts
from proxy.state.sqlite.schema import read_number

SWEEP_ROWS = 500
"""The most expired entries that one sweep deletes."""

_USE_S = 3_600
"""An entry's last use is written again after this many seconds, so that reads rarely write."""

_MOST_USED = 500
"""Entries whose use is noted and not yet written. Beyond that, uses are not noted."""

_NAMES_PER_QUERY = 64
_EVICTED_AT_ONCE = 50
_EVICTION_ROUNDS = 40
"""Rounds of eviction in one batch. 40 rounds of 50 entries are more than a batch of 500 usual entries writes."""

_FREE_SHARE = 8
"""Pages are given back where more than one in this many is free. Fewer are used again soon."""

_RETURNED_PAGES = 500
"""The most free pages that one sweep gives back to the file system."""

_GET = "SELECT name, value, id, used_at < ? FROM entries WHERE expires_at > ? AND name IN ({})"
_PUT = (
    "INSERT INTO entries (name, value, expires_at, lifetime_s, used_at) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, "
    "lifetime_s = excluded.lifetime_s, used_at = excluded.used_at"
)
_DELETE = "DELETE FROM entries WHERE name = ?"
_USE = "UPDATE entries SET used_at = ? WHERE id = ?"
_SWEEP = (
    "DELETE FROM entries WHERE id IN "
    f"(SELECT id FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT {SWEEP_ROWS})"
)
_REDATE = (
    "UPDATE entries SET used_at = :now, expires_at = min(expires_at, :now + lifetime_s) WHERE id IN "
    f"(SELECT id FROM entries WHERE used_at > :now ORDER BY used_at DESC LIMIT {SWEEP_ROWS})"
)
_EVICT = (
    f"DELETE FROM entries WHERE id IN (SELECT id FROM entries ORDER BY used_at, id LIMIT {_EVICTED_AT_ONCE})"
)


class SqliteEntries:
    """Entries in *connection*. Each method may raise :class:`sqlite3.Error`. *now* is the wall clock's time in seconds.

    Methods that write need a transaction around them. Reads see the writes of an open transaction.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._page_size = read_number(connection, "page_size")
        self._used = set[int]()
        self.accounts = SqliteAccounts(connection, self)

    def get(self, names: Sequence[str], now: float) -> dict[str, bytes]:
        """Return the values under *names*, without those that are missing or have expired."""
        found: dict[str, bytes] = {}
        for start in range(0, len(names), _NAMES_PER_QUERY):
            part = names[start : start + _NAMES_PER_QUERY]
            query = _GET.format(", ".join("?" * len(part)))
            for name, value, row, is_stale in self._connection.execute(query, (now - _USE_S, now, *part)):
                if isinstance(value, bytes):  # a damaged row may have any type
                    found[name] = value
                if is_stale and len(self._used) < _MOST_USED:
                    self._used.add(row)
        return found

    def put(self, entries: Iterable[Entry], now: float) -> None:
        """Write *entries*, replacing older values."""
        used_at = int(now)
        rows = [(name, value, now + lives_s, lives_s, used_at) for name, value, lives_s in entries]
        self._connection.executemany(_PUT, rows)

    def swap(
        self, name: str, old: bytes | None, new: bytes | None, lifetime_s: float, now: float
    ) -> bytes | None:
        """Replace *old* by *new* if *old* stands, as :meth:`proxy.state.external.backend.Backend.swap` does."""
        stands = self.get((name,), now).get(name)
        if stands != old:
            return stands
        if new is not None:
            self.put((Entry(name, new, lifetime_s),), now)
        elif old is not None:
            self.delete((name,))
        return new

    def delete(self, names: Iterable[str]) -> None:
        """Delete the values under *names*."""
        self._connection.executemany(_DELETE, [(name,) for name in names])

    def write_uses(self, now: float) -> None:
        """Write the uses of entries that reads have noted."""
        if not self._used:
            return
        used, self._used = self._used, set()
        self._connection.executemany(_USE, [(int(now), row) for row in used])

    def sweep(self, now: float) -> bool:
        """Delete at most :data:`SWEEP_ROWS` expired entries. Return True where there may be more of them.

        An entry with a last use in the future shows that the clock was set back. Its times are then set from *now*.
        """
        expired = self._connection.execute(_SWEEP, (now,)).rowcount
        redated = self._connection.execute(_REDATE, {"now": int(now)}).rowcount
        return SWEEP_ROWS in (expired, redated)

    def evict(self, max_bytes: int) -> None:
        """Delete the least recently used entries until the pages in use have at most *max_bytes*.

        One call does a limited number of rounds.
        """
        for _ in range(_EVICTION_ROUNDS):
            if self.used_bytes() <= max_bytes:
                return
            self._connection.execute(_EVICT)

    def used_bytes(self) -> int:
        """Return the bytes of the file's pages that are in use."""
        pages, free = (read_number(self._connection, name) for name in ("page_count", "freelist_count"))
        return (pages - free) * self._page_size

    def return_pages(self) -> None:
        """Give free pages back to the file system where they are more than an eighth of the file.

        Needs no transaction.
        """
        free = read_number(self._connection, "freelist_count")
        if free * _FREE_SHARE > read_number(self._connection, "page_count"):
            # execute() makes one step, which gives back one page, since the statement has no columns (CPython 3.11).
            self._connection.executescript(f"PRAGMA incremental_vacuum({_RETURNED_PAGES})")
