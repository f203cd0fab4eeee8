"""Tests of a store's files, and of the failures that errors of SQLite and of the operating system mean."""

from __future__ import annotations

import errno
import importlib.util
import os
import sqlite3
import sys
from pathlib import Path

import pytest

from proxy.state.external.backend import FaultKind, StoreFault, StoreInUse
from proxy.state.sqlite.file import (
    DamagedFile,
    create_file,
    identify_file,
    lock_file,
    read_fault,
    set_aside,
)
from tests.support.sqlite_stores import modes


def sqlite_error(code: int) -> sqlite3.OperationalError:
    """Return an error with an SQLite error code."""
    error = sqlite3.OperationalError("words")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), FaultKind.FULL),
        (sqlite_error(sqlite3.SQLITE_READONLY), FaultKind.READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_READONLY_DBMOVED), FaultKind.READ_ONLY),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), FaultKind.CORRUPT),
        (sqlite_error(sqlite3.SQLITE_CORRUPT_INDEX), FaultKind.CORRUPT),
        (sqlite_error(sqlite3.SQLITE_NOTADB), FaultKind.CORRUPT),
        (sqlite_error(sqlite3.SQLITE_IOERR_FSYNC), FaultKind.CONNECTION),
        (sqlite_error(sqlite3.SQLITE_BUSY), FaultKind.CONNECTION),
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), FaultKind.CONNECTION),
        (sqlite_error(sqlite3.SQLITE_CONSTRAINT), FaultKind.REFUSED),
        (sqlite3.OperationalError("Could not decode to UTF-8 column"), FaultKind.CORRUPT),
        (sqlite3.ProgrammingError("closed"), FaultKind.REFUSED),
        (OSError(errno.ENOSPC, "words"), FaultKind.FULL),
        (OSError(errno.EDQUOT, "words"), FaultKind.FULL),
        (OSError(errno.EROFS, "words"), FaultKind.READ_ONLY),
        (OSError(errno.EACCES, "words"), FaultKind.READ_ONLY),
        (OSError(errno.EIO, "words"), FaultKind.CONNECTION),
        (DamagedFile("words"), FaultKind.CORRUPT),
        (StoreFault(FaultKind.FULL), FaultKind.FULL),
        (ValueError("a key"), FaultKind.REFUSED),
    ],
    ids=repr,
)
def test_every_error_is_a_failure_of_one_kind(error: Exception, kind: FaultKind) -> None:
    """The message of an error that nobody foresaw is not passed on, since it may quote a key."""
    fault = read_fault(error)

    assert fault.kind is kind
    assert "a key" not in str(fault)


def test_new_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    """The identity is that of the file that stands under the name."""
    path = str(tmp_path / "state.db")
    identity = create_file(path)

    assert modes(tmp_path) == {"state.db": 0o600}
    assert identify_file(path) == identity == create_file(path)


def test_files_beside_an_old_file_are_closed_to_others(tmp_path: Path) -> None:
    for name in ("state.db", "state.db-wal", "state.db-shm", "state.db-journal"):
        (tmp_path / name).touch(0o666)
    create_file(str(tmp_path / "state.db"))

    assert set(modes(tmp_path).values()) == {0o600}


def test_missing_file_has_no_identity(tmp_path: Path) -> None:
    assert identify_file(str(tmp_path / "missing")) is None
    assert identify_file(str(tmp_path / "missing" / "state.db")) is None


def test_lock_is_had_once_until_it_is_closed(tmp_path: Path) -> None:
    """The lock file stays, and its mode is mended."""
    path = str(tmp_path / "state.db")
    (tmp_path / "state.db.lock").touch(0o666)
    lock = lock_file(path)
    with pytest.raises(StoreInUse):
        lock_file(path)
    os.close(lock)
    os.close(lock_file(path))

    assert modes(tmp_path) == {"state.db.lock": 0o600}


def test_platform_without_file_locks_has_the_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On Windows the module can be imported. A store cannot be locked there, and the words name the setting."""
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "fcntl", None)
    spec = importlib.util.find_spec("proxy.state.sqlite.file")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    with pytest.raises(StoreFault, match=r"store\.url"):
        module.lock_file(str(tmp_path / "state.db"))


def test_refused_lock_leaves_no_descriptor_open(tmp_path: Path) -> None:
    path = str(tmp_path / "state.db")
    lock = lock_file(path)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for _ in range(5):
        with pytest.raises(StoreInUse):
            lock_file(path)
    assert not before or len(os.listdir("/proc/self/fd")) == before
    os.close(lock)


def test_all_files_of_a_database_are_set_aside_together(tmp_path: Path) -> None:
    """The time is that of the clock, in UTC. The lock file stays. A name that is taken gets a number."""
    path = tmp_path / "state.db"
    for _ in range(3):
        for side in ("", "-wal", "-shm", ".lock"):
            (tmp_path / f"state.db{side}").write_text(side)
        set_aside(str(path), 1_800_000_000.9)

    names = [f"state.db.corrupt-20270115T080000Z{number}" for number in ("", "-2", "-3")]
    assert set(modes(tmp_path)) == {
        "state.db.lock",
        *(name + side for name in names for side in ("", "-wal", "-shm")),
    }
    assert (tmp_path / f"{names[2]}-wal").read_text() == "-wal"
