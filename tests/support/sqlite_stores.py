"""Opens stores in SQLite files for tests, and looks into the files."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from time import time as wall_clock  # noqa: TID251 - entries of a file expire by the wall clock
from typing import Any

from proxy.state.external.backend import Entry
from proxy.state.sqlite.backend import SqliteBackend

MIB = 2**20


class SetAside:
    """A listener that keeps the names and the reasons of files that were set aside."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.reasons: list[str] = []

    def __call__(self, name: str, reason: str) -> None:
        self.names.append(name)
        self.reasons.append(reason)


class SteppedClock:
    """A wall clock that a test sets."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(
    path: Path,
    *,
    max_bytes: int = 64 * MIB,
    noted: SetAside | None = None,
    clock: Callable[[], float] = wall_clock,
    sweep_s: float = 10.0,
) -> AsyncIterator[SqliteBackend]:
    """Open the store *path*, and close it at the end."""
    backend = SqliteBackend(str(path), max_bytes, noted or SetAside(), clock, sweep_s)
    await backend.open()
    try:
        yield backend
    finally:
        await backend.close()


def entry(name: str, value: bytes = b"value", lifetime_s: float = 60.0) -> Entry:
    """Return an entry with a usual value and lifetime."""
    return Entry(name, value, lifetime_s)


def query(path: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """Run *statement* on the file of a closed store, commit, and return the rows."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def integrity(path: Path) -> str:
    """Return SQLite's verdict on the file: "ok" for a sound one."""
    return str(query(path, "PRAGMA integrity_check")[0][0])


async def execute(backend: SqliteBackend, statement: str) -> None:
    """Run *statement* on the open connection of *backend*, in its thread."""

    def work(entries: Any, _: float) -> None:
        entries._connection.execute(statement).fetchall()

    await backend._ask(work)


def modes(directory: Path) -> dict[str, int]:
    """Return the permissions of each file in *directory*."""
    return {file.name: stat.S_IMODE(file.stat().st_mode) for file in sorted(directory.iterdir())}


def read(path: str | Path) -> bytes:
    """Return the bytes of a file."""
    return Path(path).read_bytes()
