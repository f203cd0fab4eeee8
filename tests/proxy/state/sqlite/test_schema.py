"""Tests of the settings of a store's database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from proxy.state.sqlite.file import DamagedFile
from proxy.state.sqlite.schema import APPLICATION_ID, FORMAT_VERSION, connect, read_number
from tests.support.sqlite_stores import query


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Open an empty database."""
    path = tmp_path / "state.db"
    path.touch()
    with closing(connect(str(path))) as connection:
        yield connection


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("synchronous", 1),
        ("busy_timeout", 250),
        ("auto_vacuum", 2),
        ("application_id", APPLICATION_ID),
        ("user_version", FORMAT_VERSION),
        ("journal_size_limit", 64 * 2**20),
        ("trusted_schema", 0),
    ],
)
def test_setting_has_its_value(connection: sqlite3.Connection, setting: str, value: int) -> None:
    assert read_number(connection, setting) == value


def test_log_is_written_ahead_for_one_connection(connection: sqlite3.Connection, tmp_path: Path) -> None:
    """There is a write-ahead log, and no file of shared memory, which only several processes need."""
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.execute("INSERT INTO entries VALUES (1, 'a', x'00', 0, 0, 0)")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["state.db", "state.db-wal"]
    assert connection.execute("PRAGMA mmap_size").fetchone() in (None, (0,))


def test_table_has_row_numbers(connection: sqlite3.Connection) -> None:
    assert connection.execute("SELECT wr FROM pragma_table_list('entries')").fetchone() == (0,)


@pytest.mark.parametrize(
    ("statement", "plan"),
    [
        ("SELECT value FROM entries WHERE name IN ('a', 'b')", "entries_by_name"),
        ("SELECT id FROM entries WHERE expires_at <= 1 ORDER BY expires_at LIMIT 5", "entries_by_expiry"),
        ("SELECT id FROM entries ORDER BY used_at, id LIMIT 5", "entries_by_use"),
        ("SELECT id FROM entries WHERE used_at > 1 ORDER BY used_at DESC LIMIT 5", "entries_by_use"),
    ],
)
def test_statement_uses_an_index(connection: sqlite3.Connection, statement: str, plan: str) -> None:
    """No statement reads the whole table or sorts it."""
    steps = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}")]

    assert len(steps) == 1
    assert plan in steps[0]


def test_refused_file_is_left_as_it_is(tmp_path: Path) -> None:
    """A file of another program is neither changed nor left open."""
    path = tmp_path / "notes.db"
    query(path, "CREATE TABLE notes (text TEXT)")
    before = path.read_bytes()
    with pytest.raises(DamagedFile):
        connect(str(path))

    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["notes.db"]
