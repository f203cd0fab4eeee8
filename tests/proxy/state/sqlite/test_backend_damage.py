"""Tests of files that a store cannot use: damaged, foreign or newer ones are set aside, and the store goes on.

The damage is found at the opening, or later while the store runs.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.sqlite.backend import SqliteBackend
from proxy.state.sqlite.schema import FORMAT_VERSION
from tests.support.backend_contract import entries_of, name_of
from tests.support.sqlite_stores import MIB, SetAside, SteppedClock, execute, integrity, opened, query, read

ENTRIES = entries_of([b"%d" % number * 200 for number in range(300)])
NAMES = [name_of(number) for number in range(300)]


def write_text(path: Path) -> None:
    """Replace the file by a text."""
    path.write_text("a text file, which is no database\n" * 100)


def write_garbage(path: Path) -> None:
    """Overwrite all pages but the first with a pattern."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def write_garbage_header(path: Path) -> None:
    """Overwrite the first bytes of the header by zeros."""
    path.write_bytes(b"\0" * 100 + path.read_bytes()[100:])


def cut_to_half(path: Path) -> None:
    """Keep the first half of the file."""
    os.truncate(path, path.stat().st_size // 2)


def cut_to_first_page(path: Path) -> None:
    """Keep the first page of the file."""
    os.truncate(path, 4096)


def mark_newer(path: Path) -> None:
    """Give the file the number of the next format version."""
    query(path, f"PRAGMA user_version = {FORMAT_VERSION + 1}")


def mark_older(path: Path) -> None:
    """Give the file a version number that no version has used."""
    query(path, "PRAGMA user_version = 0")


def mark_foreign(path: Path) -> None:
    """Give the file the number of another program."""
    query(path, "PRAGMA application_id = 7")


def change_table(path: Path) -> None:
    """Add a column to the table."""
    query(path, "ALTER TABLE entries ADD COLUMN more TEXT")


def write_foreign(path: Path) -> None:
    """Replace the file by a database of another program, with a write-ahead log."""
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
        connection.execute("INSERT INTO notes VALUES ('kept')")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (write_text, "not a database"),
        (write_garbage_header, "not a database"),
        (cut_to_first_page, "malformed"),
        (mark_newer, "newer"),
        (mark_older, "unknown form"),
        (mark_foreign, "another program"),
        (change_table, "unknown form"),
        (write_foreign, "another program"),
    ],
)
async def test_useless_file_is_set_aside_at_the_opening(
    tmp_path: Path, damage: Callable[[Path], None], reason: str
) -> None:
    """The file is kept byte by byte under a name with the time, and an empty store is opened."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path) as backend:
        await backend.put(ENTRIES)
    damage(path)
    before = path.read_bytes()
    async with opened(path, noted=noted, clock=SteppedClock(1_800_000_000.0)) as backend:
        assert await backend.get(NAMES) == {}
        await backend.put(ENTRIES)
        assert len(await backend.get(NAMES)) == 300

    assert noted.names == [f"{path}.corrupt-20270115T080000Z"]
    assert reason in noted.reasons[0]
    assert read(noted.names[0]) == before
    assert integrity(path) == "ok"


async def test_useless_log_is_set_aside_with_its_file(tmp_path: Path) -> None:
    """The write-ahead log and the journal of a damaged file get its new name. A name that is taken is not reused."""
    path, noted = tmp_path / "state.db", SetAside()
    write_text(path)
    for side in ("-wal", "-journal"):
        (tmp_path / f"state.db{side}").write_text(side)
    taken = tmp_path / "state.db.corrupt-20270115T080000Z"
    taken.write_text("older")
    async with opened(path, noted=noted, clock=SteppedClock(1_800_000_000.0)) as backend:
        await backend.ping()

    assert noted.names == [f"{taken}-2"]
    assert taken.read_text() == "older"
    assert read(f"{taken}-2-wal") == b"-wal"


async def test_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """A file of no bytes is not damaged."""
    path, noted = tmp_path / "state.db", SetAside()
    path.touch()
    async with opened(path, noted=noted) as backend:
        await backend.put(ENTRIES)
        assert len(await backend.get(NAMES)) == 300

    assert noted.names == []


@pytest.mark.parametrize("damage", [write_garbage, cut_to_half])
async def test_damage_that_the_opening_does_not_see_is_found_later(
    tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    """A read or a write that meets the damage fails, and the file is set aside. The store goes on at once."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path) as backend:
        await backend.put(ENTRIES)
    damage(path)
    async with opened(path, noted=noted) as backend:
        kinds = set()
        for _ in range(3):
            try:
                await backend.put(ENTRIES)
                await backend.get(NAMES)
            except StoreFault as fault:
                kinds.add(fault.kind)
        assert len(await backend.get(NAMES)) == 300

    assert kinds <= {FaultKind.CORRUPT}
    assert len(noted.names) == 1
    assert integrity(path) == "ok"


@pytest.mark.parametrize("writes", [False, True], ids=["read", "write"])
async def test_file_that_is_damaged_while_it_is_used_is_set_aside(tmp_path: Path, writes: bool) -> None:
    """The calls that meet the damage fail with ``corrupt``. Those after them use a new file."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path, noted=noted) as backend:
        await backend.put(ENTRIES)
        await execute(backend, "PRAGMA wal_checkpoint(TRUNCATE)")
        await execute(backend, "PRAGMA shrink_memory")
        write_garbage(path)
        with pytest.raises(StoreFault) as fault:
            await (backend.put(ENTRIES) if writes else backend.get(NAMES))
        assert fault.value.kind is FaultKind.CORRUPT
        await backend.put(ENTRIES[:10])
        assert len(await backend.get(NAMES)) == 10

    assert len(noted.names) == 1
    assert re.fullmatch(r".*/state\.db\.corrupt-\d{8}T\d{6}Z", noted.names[0])
    assert integrity(path) == "ok"


async def test_file_that_is_emptied_while_it_is_used_is_set_aside(tmp_path: Path) -> None:
    """A file that somebody else cut to no bytes is a damaged one."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path, noted=noted) as backend:
        await backend.put(ENTRIES)
        await execute(backend, "PRAGMA wal_checkpoint(TRUNCATE)")
        await execute(backend, "PRAGMA shrink_memory")
        os.truncate(path, 0)
        with pytest.raises(StoreFault) as fault:
            await backend.put(ENTRIES)
        assert fault.value.kind is FaultKind.CORRUPT
        await backend.put(ENTRIES)
        assert len(await backend.get(NAMES)) == 300

    assert len(noted.names) == 1
    assert integrity(path) == "ok"


async def test_file_that_was_removed_is_begun_anew(tmp_path: Path) -> None:
    """The next sweep sees that the name no longer stands for the open file."""
    path, noted = tmp_path / "state.db", SetAside()
    async with opened(path, noted=noted, sweep_s=0.01) as backend:
        await backend.put(ENTRIES)
        path.unlink()
        while await backend.get(NAMES):
            pass
        await backend.put(ENTRIES[:10])

    assert noted.names == []
    assert query(path, "SELECT count(*) FROM entries") == [(10,)]


@contextmanager
def unwritable_directory() -> Iterator[Path]:
    """Yield a directory without the right to write, and drop the rights of the superuser, if the tests run as one."""
    before = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o555)
        if before == 0:
            os.seteuid(65_534)
        try:
            yield directory
        finally:
            os.seteuid(before)
        assert list(directory.iterdir()) == []


async def test_directory_that_cannot_be_written_is_a_fault() -> None:
    """The failure is ``read_only``. The words name the setting and not the path."""
    with unwritable_directory() as directory:
        with pytest.raises(StoreFault, match=r"store\.url") as fault:
            await SqliteBackend(str(directory / "state.db"), MIB, SetAside()).open()
        assert fault.value.kind is FaultKind.READ_ONLY
        assert str(directory) not in str(fault.value)


@pytest.mark.parametrize("kind", ["directory", "no directory", "pipe"])
async def test_path_of_no_file_is_a_fault(tmp_path: Path, kind: str) -> None:
    """The failure is one of the connection, in words that name the setting. A later attempt may succeed."""
    path = tmp_path / "sub" / "state.db" if kind == "no directory" else tmp_path / "state.db"
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    backend = SqliteBackend(str(path), MIB, SetAside())
    for _ in range(2):
        with pytest.raises(StoreFault, match=r"store\.url") as fault:
            await backend.open()
        assert fault.value.kind is FaultKind.CONNECTION
        assert str(tmp_path) not in str(fault.value)
    if kind == "no directory":
        path.parent.mkdir()
        await backend.open()
        await backend.ping()
        await backend.close()
