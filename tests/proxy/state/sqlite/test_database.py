"""Tests of an open database's recovery: what stays open, what is opened again, and how often files are set aside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.sqlite.database import SqliteDatabase
from proxy.state.sqlite.file import DamagedFile
from tests.support.sqlite_stores import SetAside, SteppedClock, entry, query

NOW = 1_800_000_000.0


class Opened:
    """An open database with clocks that the test sets."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.noted = SetAside()
        self.steady = SteppedClock(0.0)
        self.database = SqliteDatabase(str(path), SteppedClock(NOW), self.noted, self.steady)
        self.database.open()

    def write(self, name: str) -> None:
        """Write one entry in a transaction of its own."""
        self.database.begin()
        self.database.entries.put([entry(name)], NOW)
        self.database.commit()

    def fail(self, error: Exception | int) -> StoreFault:
        """Recover from *error*, or from an error with this SQLite code."""
        if isinstance(error, int):
            code, error = error, sqlite3.OperationalError("words")
            error.sqlite_errorcode = code
        return self.database.recover(error)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Opened]:
    """Open an empty database."""
    store = Opened(tmp_path / "state.db")
    yield store
    store.database.close()


def test_one_transaction_is_open_at_a_time(store: Opened) -> None:
    """Beginning a second one does nothing."""
    assert store.database.begin()
    assert store.database.in_transaction
    assert not store.database.begin()
    store.database.commit()
    assert not store.database.in_transaction


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, FaultKind.FULL),
        (sqlite3.SQLITE_READONLY, FaultKind.READ_ONLY),
        (sqlite3.SQLITE_IOERR, FaultKind.CONNECTION),
        (sqlite3.SQLITE_ERROR, FaultKind.REFUSED),
    ],
)
def test_failure_undoes_the_open_transaction(store: Opened, code: int, kind: FaultKind) -> None:
    """Values that were committed before are still there."""
    store.write("kept")
    store.database.begin()
    store.database.entries.put([entry("lost")], NOW)

    assert store.fail(code).kind is kind
    assert not store.database.in_transaction
    assert set(store.database.entries.get(["kept", "lost"], NOW)) == {"kept"}
    assert store.noted.names == []


def test_store_without_room_stays_open(store: Opened) -> None:
    """Reads go on at once after a failed write, however many fail."""
    before = store.database.entries
    for _ in range(3):
        store.database.begin()
        store.database.entries.put([entry("lost")], NOW)
        store.fail(sqlite3.SQLITE_FULL)

    assert store.database.entries is before


def test_file_is_opened_again_once_in_a_second(store: Opened) -> None:
    """After a failure of the disk the file is opened again. Requests in between fail at once."""
    before = store.database.entries
    store.fail(sqlite3.SQLITE_IOERR)
    assert store.database.entries is not before
    store.fail(sqlite3.SQLITE_IOERR)
    with pytest.raises(StoreFault) as fault:
        _ = store.database.entries
    assert fault.value.kind is FaultKind.CONNECTION

    store.steady.now += 1.0
    assert store.database.entries.get([], NOW) == {}


def test_damage_is_answered_by_a_new_file(store: Opened) -> None:
    """The lock is held all the time, so no other process can step in."""
    store.write("lost")
    assert store.fail(sqlite3.SQLITE_CORRUPT).kind is FaultKind.CORRUPT

    assert store.noted.names == [f"{store.path}.corrupt-20270115T080000Z"]
    assert store.noted.reasons == ["words"]
    assert store.database.entries.get(["lost"], NOW) == {}
    assert query(Path(store.noted.names[0]), "SELECT name FROM entries") == [("lost",)]


def test_disk_that_damages_every_file_fills_up_slowly(store: Opened) -> None:
    """Within a minute one file is set aside. Until then the store fails, and no file is renamed or emptied."""
    for _ in range(20):
        store.fail(DamagedFile("words"))
        store.steady.now += 1.0
    assert len(store.noted.names) == 1

    store.steady.now += 60.0
    store.fail(DamagedFile("words"))
    assert len(store.noted.names) == 2
    store.write("a")


def test_other_file_under_the_name_is_followed(store: Opened, tmp_path: Path) -> None:
    """A file that was moved there, such as a backup, is used from then on. The same file stays open."""
    store.write("first")
    before = store.database.entries
    store.database.follow_name()
    assert store.database.entries is before

    (tmp_path / "backup.db").touch()
    other = Opened(tmp_path / "backup.db")
    other.write("second")
    other.database.close()
    (tmp_path / "backup.db").rename(store.path)
    store.database.follow_name()
    assert set(store.database.entries.get(["first", "second"], NOW)) == {"second"}


def test_closing_frees_the_lock(tmp_path: Path) -> None:
    """A database that could not be opened holds no lock either."""
    path = tmp_path / "state.db"
    path.mkdir()
    for _ in range(2):
        with pytest.raises(StoreFault):
            Opened(path)
    path.rmdir()
    for _ in range(2):
        store = Opened(path)
        store.database.close()
        store.database.close()
