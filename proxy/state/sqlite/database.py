"""The open database of an SQLite store: its lock, its connection, its transactions, and its recovery from failures.

A damaged file is set aside and a new one begun. After other failures the file is closed, and opened again later.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.sqlite.entries import SqliteEntries
from proxy.state.sqlite.file import create_file, identify_file, lock_file, read_fault, set_aside
from proxy.state.sqlite.schema import connect

_REOPEN_S = 1.0
"""Seconds between two attempts to open the file again after a failure."""

_ANEW_S = 60.0
"""Seconds between two files that are set aside. On a disk that damages every file, fewer files are left behind."""


class SqliteDatabase:
    """The database in the file *path*. It is used in one thread.

    *clock* is the wall clock, in seconds. *on_set_aside* is called with the new path of each file that was set aside,
    and the reason. *steady_clock* returns seconds for pauses.
    """

    def __init__(
        self,
        path: str,
        clock: Callable[[], float],
        on_set_aside: Callable[[str, str], None],
        steady_clock: Callable[[], float] = monotonic,
    ) -> None:
        self._path = path
        self._clock = clock
        self._on_set_aside = on_set_aside
        self._steady_clock = steady_clock
        self._lock: int | None = None
        self._connection: sqlite3.Connection | None = None
        self._entries: SqliteEntries | None = None
        self._identity: tuple[int, int] | None = None
        self._reopen_at = self._anew_at = float("-inf")

    @property
    def in_transaction(self) -> bool:
        """True while a transaction is open."""
        return self._connection is not None and self._connection.in_transaction

    @property
    def entries(self) -> SqliteEntries:
        """The entries. Opens the file if a failure has closed it, at most once in a second."""
        if self._entries is not None:
            return self._entries
        now = self._steady_clock()
        if now < self._reopen_at:
            raise StoreFault(FaultKind.CONNECTION, "the file of `store.url` is not open")
        self._reopen_at = now + _REOPEN_S
        return self._open()

    def open(self) -> None:
        """Lock and open the file. A file that is damaged or not a store's is set aside before.

        Raises :class:`proxy.state.sqlite.file.StoreInUse` if another process has the file, or another error, which
        :func:`proxy.state.sqlite.file.read_fault` explains. The lock is then free again.
        """
        try:
            self._lock = lock_file(self._path)
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file and release the lock. An open transaction is rolled back."""
        self._disconnect()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def begin(self) -> bool:
        """Begin a transaction unless one is open. Return True if one was begun."""
        if self._connection is None or self._connection.in_transaction:
            return False
        self._connection.execute("BEGIN IMMEDIATE")
        return True

    def commit(self) -> None:
        """Commit the open transaction."""
        if self._connection is not None:
            self._connection.execute("COMMIT")

    def follow_name(self) -> None:
        """Close the file if its name now stands for another file or for none, for example after a restored backup.

        Before that, the write-ahead log is emptied. SQLite leaves a moved file's log under the old name, and would
        apply the log to the file that has that name now.
        """
        if self._connection is None or self._identity == identify_file(self._path):
            return
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._disconnect()

    def recover(self, error: Exception) -> StoreFault:
        """Undo the open transaction after *error*, and return the failure that *error* means.

        A file without room, or on a file system that became read-only, stays open for reading.
        """
        fault = read_fault(error)
        if self._entries is not None:
            self._entries.accounts.forget_bytes()
        with suppress(sqlite3.Error):
            if self._connection is not None and self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        if fault.kind is FaultKind.CORRUPT:
            self._disconnect()
            with suppress(Exception):  # the next request tries again
                self._begin_anew(error)
        elif fault.kind not in (FaultKind.FULL, FaultKind.READ_ONLY) or self.in_transaction:
            self._disconnect()
        return fault

    def _open(self) -> SqliteEntries:
        self._identity = create_file(self._path)
        try:
            return self._connect()
        except Exception as error:
            if read_fault(error).kind is not FaultKind.CORRUPT:
                raise
            return self._begin_anew(error)

    def _begin_anew(self, reason: Exception) -> SqliteEntries:
        now = self._steady_clock()
        if now < self._anew_at:
            raise reason
        self._anew_at = now + _ANEW_S
        self._on_set_aside(set_aside(self._path, self._clock()), str(reason))
        self._identity = create_file(self._path)
        return self._connect()

    def _connect(self) -> SqliteEntries:
        self._connection = connect(self._path)
        self._entries = SqliteEntries(self._connection)
        return self._entries

    def _disconnect(self) -> None:
        """Close the connection, which copies the write-ahead log into the file."""
        connection, self._connection, self._entries = self._connection, None, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()
