"""Opens the database of an SQLite store: its settings, its one table, and the check that the file is a store's.

The table has a row number, and an index by name. As a ``WITHOUT ROWID`` table, which keeps the values in the tree of
the names, a write took four times as long (SQLite 3.40.1, 2026-11-23).
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from proxy.state.sqlite.file import DamagedFile

APPLICATION_ID = 0x7475_726E
"""The number in the file's header that says whose file it is: "turn" in ASCII."""

FORMAT_VERSION = 1
"""The version of the table, kept as the file's ``user_version``."""

_MAGIC = b"SQLite format 3\0"
"""The first bytes of every SQLite database (sqlite.org/fileformat.html)."""

_BUSY_MS = 250
_SETTINGS = (
    f"busy_timeout = {_BUSY_MS}",
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    "locking_mode = EXCLUSIVE",
    "cache_size = -8192",
)
"""The settings of a connection. Their order matters: only the last one reads the file, so the others are set before.

The exclusive lock keeps other programs away, such as the command ``sqlite3``. With it, SQLite needs no file of shared
memory (``-shm``).
"""

_LOG_SETTINGS = ("journal_mode = WAL", "synchronous = NORMAL", f"journal_size_limit = {64 * 2**20}")

_SCHEMA = {
    "entries": (
        "CREATE TABLE entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value BLOB NOT NULL, "
        "expires_at REAL NOT NULL, lifetime_s REAL NOT NULL, used_at INTEGER NOT NULL)"
    ),
    "entries_by_name": "CREATE UNIQUE INDEX entries_by_name ON entries (name)",
    "entries_by_expiry": "CREATE INDEX entries_by_expiry ON entries (expires_at)",
    "entries_by_use": "CREATE INDEX entries_by_use ON entries (used_at)",
}
"""The objects of the database. Times are the wall clock's seconds: no other clock survives a restart."""


def connect(path: str) -> sqlite3.Connection:
    """Return a connection to the store's file *path*, which exists and may be empty.

    Raises :class:`DamagedFile` for a file that is not this version's, or :class:`sqlite3.DatabaseError`.
    """
    _check_beginning(path)
    connection = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    try:
        for setting in _SETTINGS:
            _pragma(connection, setting)
        _check(connection)
        for setting in _LOG_SETTINGS:
            _pragma(connection, setting)
    except BaseException:
        connection.close()
        raise
    return connection


def read_number(connection: sqlite3.Connection, setting: str) -> int:
    """Return the value of the PRAGMA *setting*, which is a number."""
    return int(_pragma(connection, setting)[0][0])


def _pragma(connection: sqlite3.Connection, setting: str) -> list[tuple[int | str, ...]]:
    with closing(connection.execute(f"PRAGMA {setting}")) as cursor:
        return cursor.fetchall()


def _check_beginning(path: str) -> None:
    """Raise :class:`DamagedFile` unless the file is empty or begins as a database does.

    SQLite itself would remove the write-ahead log of such a file. The log is to be set aside with the file.
    """
    with open(path, "rb") as file:
        beginning = file.read(len(_MAGIC))
    if beginning and beginning != _MAGIC:
        raise DamagedFile("not a database")


def _check(connection: sqlite3.Connection) -> None:
    """Create the table in an empty file. Raise :class:`DamagedFile` for a file that is no store of this version."""
    application, version = (
        read_number(connection, "application_id"),
        read_number(connection, "user_version"),
    )
    found = dict(connection.execute("SELECT name, sql FROM sqlite_schema").fetchall())
    if not found and application in (0, APPLICATION_ID):
        _create(connection)
    elif application != APPLICATION_ID:
        raise DamagedFile("another program's database")
    elif version > FORMAT_VERSION:
        raise DamagedFile(f"format version {version}, newer than {FORMAT_VERSION}")
    elif version != FORMAT_VERSION or found != _SCHEMA:
        raise DamagedFile("a table of an unknown form")
    connection.execute("SELECT * FROM entries ORDER BY id DESC LIMIT 1").fetchall()


def _create(connection: sqlite3.Connection) -> None:
    _pragma(connection, "auto_vacuum = INCREMENTAL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA.values():
        connection.execute(statement)
    _pragma(connection, f"application_id = {APPLICATION_ID}")
    _pragma(connection, f"user_version = {FORMAT_VERSION}")
    connection.execute("COMMIT")
