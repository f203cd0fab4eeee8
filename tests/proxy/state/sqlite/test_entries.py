"""Tests of the entries in an SQLite database: lifetimes under clocks that jump, sweeps, uses and evictions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from proxy.state.sqlite.entries import SWEEP_ROWS, SqliteEntries
from proxy.state.sqlite.schema import connect
from tests.support.sqlite_stores import entry

NOW = 1_800_000_000.0
HOUR = 3_600.0
DAY = 24 * HOUR


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Open an empty database."""
    path = tmp_path / "state.db"
    path.touch()
    with closing(connect(str(path))) as connection:
        yield connection


@pytest.fixture
def entries(connection: sqlite3.Connection) -> SqliteEntries:
    """Return the entries of the empty database, in an open transaction."""
    connection.execute("BEGIN")
    return SqliteEntries(connection)


def count(connection: sqlite3.Connection) -> int:
    """Return the number of rows."""
    return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])


def column(connection: sqlite3.Connection, name: str) -> list[Any]:
    """Return the values of one column, in the order of the row numbers."""
    return [row[0] for row in connection.execute(f"SELECT {name} FROM entries ORDER BY id")]


def test_entry_lives_up_to_its_lifetime(entries: SqliteEntries) -> None:
    """An entry is missing from the moment at which it expires, whether it was swept or not."""
    entries.put([entry("a", b"1", 60.0)], NOW)

    assert entries.get(["a"], NOW + 59.9) == {"a": b"1"}
    assert entries.get(["a"], NOW + 60.0) == {}


@pytest.mark.parametrize("count_of_names", [1, 63, 64, 65, 129])
def test_many_names_are_found_at_once(entries: SqliteEntries, count_of_names: int) -> None:
    """Names beyond those of one query are looked up by further queries."""
    names = [str(number) for number in range(count_of_names)]
    entries.put([entry(name, name.encode()) for name in names], NOW)

    assert entries.get(names, NOW) == {name: name.encode() for name in names}


def test_expired_entry_is_as_good_as_none(entries: SqliteEntries) -> None:
    """An expired entry that was not swept is not compared. It is replaced as if it were missing."""
    entries.put([entry("a", b"1", 60.0)], NOW)
    late = NOW + 61.0

    assert entries.swap("a", b"1", b"2", 60.0, late) is None
    assert entries.swap("a", None, b"3", 60.0, late) == b"3"
    assert entries.get(["a"], late) == {"a": b"3"}


def test_sweep_deletes_a_limited_number_of_expired_entries(
    entries: SqliteEntries, connection: sqlite3.Connection
) -> None:
    """A sweep says whether more entries may be waiting. Entries that live are kept."""
    entries.put([entry(f"short {number}", lifetime_s=60.0) for number in range(SWEEP_ROWS + 5)], NOW)
    entries.put([entry("long", lifetime_s=DAY)], NOW)

    assert not entries.sweep(NOW + 59.0)
    assert count(connection) == SWEEP_ROWS + 6
    assert entries.sweep(NOW + 60.0)
    assert count(connection) == 6
    assert not entries.sweep(NOW + 60.0)
    assert entries.get(["long"], NOW + 60.0) == {"long": b"value"}


def test_clock_that_was_set_back_makes_no_entry_immortal(entries: SqliteEntries) -> None:
    """After the clock was set back by ten years, entries live no longer than their lifetime from then on."""
    entries.put([entry("short", lifetime_s=60.0), entry("long", lifetime_s=DAY)], NOW)
    back = NOW - 3_650 * DAY
    assert set(entries.get(["short", "long"], back)) == {"short", "long"}

    entries.sweep(back)
    assert set(entries.get(["short", "long"], back + 58.0)) == {"short", "long"}
    assert set(entries.get(["short", "long"], back + 61.0)) == {"long"}
    assert entries.get(["short", "long"], back + DAY) == {}


def test_sweep_after_a_clock_was_set_back_is_limited(entries: SqliteEntries) -> None:
    """One sweep dates a limited number of entries anew, and says that there are more."""
    entries.put([entry(str(number), lifetime_s=60.0) for number in range(SWEEP_ROWS + 5)], NOW)

    assert entries.sweep(NOW - DAY)
    assert not entries.sweep(NOW - DAY)
    entries.sweep(NOW - DAY + 61.0)
    assert not entries.sweep(NOW - DAY + 61.0)
    assert entries.get([str(number) for number in range(SWEEP_ROWS + 5)], NOW - DAY + 61.0) == {}


def test_clock_that_was_set_back_prolongs_nothing(
    entries: SqliteEntries, connection: sqlite3.Connection
) -> None:
    """An entry that was used in the future, but expires early enough, keeps its moment."""
    entries.put([entry("a", lifetime_s=DAY)], NOW)
    entries.get(["a"], NOW + 23 * HOUR)
    entries.write_uses(NOW + 23 * HOUR)
    entries.sweep(NOW + HOUR)

    assert column(connection, "expires_at") == [NOW + DAY]
    assert column(connection, "used_at") == [NOW + HOUR]


def test_use_is_written_once_in_an_hour(entries: SqliteEntries, connection: sqlite3.Connection) -> None:
    """Reads within an hour after the last use that was written write nothing."""
    entries.put([entry("a", lifetime_s=DAY), entry("b", lifetime_s=DAY)], NOW)
    entries.get(["a"], NOW + HOUR)
    entries.write_uses(NOW + HOUR)
    assert column(connection, "used_at") == [NOW, NOW]

    entries.get(["a"], NOW + HOUR + 1)
    entries.write_uses(NOW + HOUR + 2)
    assert column(connection, "used_at") == [NOW + HOUR + 2, NOW]


def test_least_recently_used_entries_are_evicted(
    entries: SqliteEntries, connection: sqlite3.Connection
) -> None:
    """Entries are dropped in the order of their last use until the rest fits. Newer ones and used ones stay."""
    names = [f"{number:04}" for number in range(1_000)]
    for number, name in enumerate(names):
        entries.put([entry(name, b"x" * 700, 30 * DAY)], NOW + number)
    late = NOW + DAY
    used = names[:100]
    entries.get(used, late)
    entries.write_uses(late)
    max_bytes = entries.used_bytes() // 2

    entries.evict(max_bytes)
    kept = set(entries.get(names, late))
    assert entries.used_bytes() <= max_bytes
    assert 300 < len(kept) < 500
    assert kept == {*used, *names[len(names) - (len(kept) - len(used)) :]}


def test_nothing_is_evicted_where_everything_fits(entries: SqliteEntries) -> None:
    entries.put([entry("a")], NOW)
    entries.evict(entries.used_bytes())

    assert entries.get(["a"], NOW) == {"a": b"value"}


def test_one_eviction_is_limited(entries: SqliteEntries, connection: sqlite3.Connection) -> None:
    """A limit that was lowered far does not stop the thread for long. No limit leads to an endless loop."""
    entries.put([entry(str(number), b"x" * 700) for number in range(3_000)], NOW)
    entries.evict(0)
    assert count(connection) == 1_000
    entries.evict(0)
    entries.evict(0)
    assert count(connection) == 0


def test_free_pages_are_given_back_in_steps(entries: SqliteEntries, connection: sqlite3.Connection) -> None:
    """A file of which a good part is free shrinks by a limited number of pages. A few free pages are kept."""

    def pages(name: str) -> int:
        return int(connection.execute(f"PRAGMA {name}").fetchone()[0])

    names = [str(number) for number in range(2_000)]
    entries.put([entry(name, b"x" * 4_000) for name in names], NOW)
    full = pages("page_count")
    entries.delete(names[:100])
    connection.execute("COMMIT")
    entries.return_pages()
    assert pages("page_count") == full

    connection.execute("DELETE FROM entries")
    entries.return_pages()
    assert full - 520 <= pages("page_count") <= full - 500
    for _ in range(20):
        entries.return_pages()
    assert pages("page_count") < 50


def test_value_of_another_type_is_missing(entries: SqliteEntries, connection: sqlite3.Connection) -> None:
    """A row that somebody changed by hand holds a text. Only bytes are returned."""
    entries.put([entry("a"), entry("b")], NOW)
    connection.execute("UPDATE entries SET value = 'text' WHERE name = 'a'")

    assert entries.get(["a", "b"], NOW) == {"b": b"value"}
