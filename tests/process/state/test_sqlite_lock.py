"""Tests that one process at a time uses the file of an SQLite store."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.sqlite.backend import SqliteBackend, StoreInUse
from tests.process.running import ROOT
from tests.support.sqlite_stores import MIB, SetAside, entry, opened

STORE = """
import asyncio, sys
from proxy.state.sqlite.backend import SqliteBackend

async def main():
    await SqliteBackend(sys.argv[1], 2**20, print).open()
    print("open", flush=True)
    sys.stdin.read()

asyncio.run(main())
"""
"""A process that has a store open until its input ends."""

READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
try:
    print("read" if connection.execute("SELECT count(*) FROM entries").fetchall() else "", flush=True)
    sys.stdin.read()
except sqlite3.OperationalError as error:
    print(error, flush=True)
"""
"""A process that reads a store's file without its lock, as the command ``sqlite3`` does."""


@contextmanager
def process(code: str, path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run *code* with *path* as its argument. Yield the process and its first line."""
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        try:
            yield running, running.stdout.readline().strip()
        finally:
            running.kill()


async def test_second_process_is_refused_in_words(tmp_path: Path) -> None:
    """The message names the file and the setting. Once the other process has died, the file is free."""
    path = tmp_path / "state.db"
    with process(STORE, path) as (other, line):
        assert line == "open"
        backend = SqliteBackend(str(path), MIB, SetAside())
        for _ in range(2):
            with pytest.raises(StoreInUse, match=r"store\.url") as refused:
                await backend.open()
            assert str(path) in str(refused.value)
        other.kill()
        other.wait()
        await backend.open()
        await backend.ping()
        await backend.close()


async def test_other_programs_cannot_read_a_file_in_use(tmp_path: Path) -> None:
    """A second connection could damage the file in SQLite before 3.51.3, so the store keeps other programs away."""
    path = tmp_path / "state.db"
    async with opened(path) as backend:
        await backend.put([entry("a")])
        with process(READER, path) as (_, line):
            assert line == "database is locked"
        assert await backend.get(["a"]) == {"a": b"value"}


async def test_file_that_another_program_reads_is_kept(tmp_path: Path) -> None:
    """The store cannot be opened meanwhile. The file is not set aside, and is opened once it is free."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path) as backend:
        await backend.put([entry("a")])
    backend = SqliteBackend(str(path), MIB, noted)
    with process(READER, path) as (_, line):
        assert line == "read"
        with pytest.raises(StoreFault) as fault:
            await backend.open()
        assert fault.value.kind is FaultKind.CONNECTION
    await backend.open()
    assert await backend.get(["a"]) == {"a": b"value"}
    await backend.close()
    assert noted.names == []
