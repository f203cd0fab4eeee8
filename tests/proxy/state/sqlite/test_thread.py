"""Tests of the thread behind an SQLite store: sweeps, the limit of the file, a full disk, and failures in a batch."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from proxy.state.external.backend import FaultKind, StoreFault
from proxy.state.sqlite.backend import SqliteBackend, StoreInUse
from proxy.state.sqlite.thread import Request
from tests.support.sqlite_stores import MIB, SetAside, SteppedClock, entry, execute, opened, query


async def rows(backend: SqliteBackend) -> int:
    """Return the number of rows in the file, expired ones among them."""

    def work(entries: Any, _: float) -> int:
        return int(entries._connection.execute("SELECT count(*) FROM entries").fetchone()[0])

    return await backend._ask(work)


async def until_rows(backend: SqliteBackend, count: int) -> None:
    """Wait until the file has *count* rows."""
    async with asyncio.timeout(10):
        while await rows(backend) != count:
            pass


@pytest.mark.parametrize(
    ("sweep_s", "next_sweep_s"), [(0.005, 1.0), (3_600.0, 0.005)], ids=["next sweep", "more to sweep"]
)
async def test_expired_rows_are_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweep_s: float, next_sweep_s: float
) -> None:
    """Rows leave the file without any request, once they have expired. Where many have, the next sweep comes soon."""
    monkeypatch.setattr("proxy.state.sqlite.thread._NEXT_SWEEP_S", next_sweep_s)
    clock = SteppedClock()
    async with opened(tmp_path / "state.db", clock=clock) as backend:
        await backend.put([entry(f"early {number}", lifetime_s=60.0) for number in range(1_200)])
        clock.now += 61.0
    async with opened(tmp_path / "state.db", clock=clock, sweep_s=sweep_s) as backend:
        await until_rows(backend, 0)


async def test_living_rows_are_not_swept(tmp_path: Path) -> None:
    """Rows stay until they have expired."""
    clock = SteppedClock()
    async with opened(tmp_path / "state.db", clock=clock, sweep_s=0.005) as backend:
        await backend.put([entry(f"short {number}", lifetime_s=60.0) for number in range(1_200)])
        await backend.put([entry("long", lifetime_s=600.0)])
        await asyncio.sleep(0.02)
        assert await rows(backend) == 1_201

        clock.now += 60.0
        await until_rows(backend, 1)
        assert await backend.get(["long"]) == {"long": b"value"}


async def test_rows_of_a_dead_process_are_swept(tmp_path: Path) -> None:
    """Entries that expired while no process ran are missing from the first moment, and are swept soon."""
    clock = SteppedClock()
    async with opened(tmp_path / "state.db", clock=clock) as backend:
        await backend.put([entry("short", lifetime_s=60.0), entry("long", lifetime_s=600.0)])
    clock.now += 61.0
    async with opened(tmp_path / "state.db", clock=clock, sweep_s=0.005) as backend:
        assert set(await backend.get(["short", "long"])) == {"long"}
        await until_rows(backend, 1)


async def test_uses_are_written_without_any_write(tmp_path: Path) -> None:
    """The sweep writes the uses that reads have noted."""
    path, clock = tmp_path / "state.db", SteppedClock(1_800_000_000.0)
    async with opened(path, clock=clock) as backend:
        await backend.put([entry("a", lifetime_s=86_400.0)])
    clock.now += 7_200.0
    async with opened(path, clock=clock, sweep_s=0.005) as backend:
        await backend.get(["a"])
        await asyncio.sleep(0.05)
    assert query(path, "SELECT used_at FROM entries") == [(1_800_007_200,)]


async def test_file_stays_within_its_limit(tmp_path: Path) -> None:
    """Three times the limit is written. The newest entries and the one in use are still there, without a failure."""
    path, clock = tmp_path / "state.db", SteppedClock()
    async with opened(path, max_bytes=2 * MIB, clock=clock) as backend:
        await backend.put([entry("used", lifetime_s=1e9)])
        for batch in range(20):
            clock.now += 4_000.0
            await backend.get(["used"])
            await backend.put([entry(f"{batch} {n}", b"x" * 3_000, 1e9) for n in range(100)])
        assert await backend.get(["used", "0 0", "19 99"]) == {"used": b"value", "19 99": b"x" * 3_000}
        kept = await rows(backend)

    assert 300 < kept < 700
    assert path.stat().st_size < 3 * MIB


async def test_full_disk_fails_writes_and_not_reads(tmp_path: Path) -> None:
    """Writes fail with ``full``, and none of them stays in part. They succeed once there is room."""
    async with opened(tmp_path / "state.db") as backend:
        await backend.put([entry("kept")])
        await execute(backend, "PRAGMA max_page_count = 1")  # the pages that there are now
        for number in range(3):
            with pytest.raises(StoreFault) as fault:
                await backend.put([entry(f"{number} {n}", b"x" * 4_000) for n in range(100)])
            assert fault.value.kind is FaultKind.FULL
            assert set(await backend.get(["kept", "0 0", "1 0", "2 0"])) == {"kept"}
            await backend.ping()
        await execute(backend, "PRAGMA max_page_count = 100000")
        await backend.put([entry(f"late {n}", b"x" * 4_000) for n in range(100)])
        assert len(await backend.get([f"late {n}" for n in range(100)])) == 100


async def test_batch_stands_or_falls_as_a_whole(tmp_path: Path) -> None:
    """The writes that wait for the same commit fail with the one that failed. Later ones succeed."""
    async with opened(tmp_path / "state.db") as backend:
        await backend.put([entry("kept")])
        await execute(backend, "PRAGMA max_page_count = 1")
        results = await asyncio.gather(
            backend.put([entry("small")]),
            backend.put([entry(f"large {n}", b"x" * 4_000) for n in range(100)]),
            return_exceptions=True,
        )
        assert [getattr(result, "kind", None) for result in results] == [FaultKind.FULL, FaultKind.FULL]
        assert set(await backend.get(["kept", "small", "large 0"])) == {"kept"}
        await backend.put([entry("small")])
        assert set(await backend.get(["kept", "small"])) == {"kept", "small"}


async def test_error_that_nobody_foresaw_fails_one_call(tmp_path: Path) -> None:
    """The thread outlives an error of the work itself, in a read and in a write."""

    def work(*_: object) -> None:
        raise ZeroDivisionError

    async with opened(tmp_path / "state.db") as backend:
        for written in (0, 1):
            with pytest.raises(StoreFault) as fault:
                await backend._ask(work, written)
            assert fault.value.kind is FaultKind.REFUSED
        await asyncio.sleep(1.0)  # the file is opened again once in a second
        await backend.put([entry("a")])
        assert await backend.get(["a"]) == {"a": b"value"}


async def test_thread_outlives_a_closed_event_loop(tmp_path: Path) -> None:
    """The answers for an event loop that has ended are dropped. The write that was accepted is made."""
    path = tmp_path / "state.db"
    backend = SqliteBackend(str(path), MIB, SetAside())

    def run() -> None:
        async def leave() -> None:
            await backend.open()
            write = asyncio.ensure_future(backend.put([entry("a")]))
            await asyncio.sleep(0)
            write.cancel()

        asyncio.run(leave())

    await asyncio.to_thread(run)
    thread = backend._thread
    assert thread is not None
    thread.requests.put(Request(None, asyncio.get_running_loop().create_future()))
    async with asyncio.timeout(10):
        while not await is_free(path):
            pass
    assert query(path, "SELECT name FROM entries") == [("a",)]


async def is_free(path: Path) -> bool:
    """Return True if no store uses the file *path*."""
    backend = SqliteBackend(str(path), MIB, SetAside())
    try:
        await backend.open()
    except StoreInUse:
        return False
    await backend.close()
    return True
