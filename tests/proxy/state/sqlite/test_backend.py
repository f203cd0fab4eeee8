"""Tests of the store in an SQLite file: what every backend promises, batches, waiting writes, and the next process."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from proxy.state.external.backend import Backend, FaultKind, StoreFault
from proxy.state.sqlite.backend import SqliteBackend, StoreInUse
from tests.support.backend_contract import BackendContract, entries_of, name_of
from tests.support.sqlite_stores import MIB, SetAside, entry, integrity, modes, opened


class TestSqlite(BackendContract):
    """The tests that every backend has to pass."""

    @pytest.fixture
    async def backend(self, tmp_path: Path) -> AsyncIterator[Backend]:
        async with opened(tmp_path / "state.db") as backend:
            yield backend


async def test_values_are_there_after_a_restart(tmp_path: Path) -> None:
    """Closing leaves one sound file without a write-ahead log, and the lock file."""
    path = tmp_path / "state.db"
    async with opened(path) as backend:
        await backend.put(entries_of([b"a", b"b"]))
    assert list(modes(tmp_path)) == ["state.db", "state.db.lock"]
    assert integrity(path) == "ok"
    async with opened(path) as backend:
        assert await backend.get([name_of(0), name_of(1)]) == {name_of(0): b"a", name_of(1): b"b"}


async def test_close_writes_what_was_accepted(tmp_path: Path) -> None:
    """Writes that nobody has waited for yet are committed before the file is closed."""
    path = tmp_path / "state.db"
    async with opened(path) as backend, asyncio.TaskGroup() as group:
        for number in range(50):
            group.create_task(backend.put([entry(name_of(number))]))
        await asyncio.sleep(0)
        await backend.close()
    async with opened(path) as backend:
        assert len(await backend.get([name_of(number) for number in range(50)])) == 50


async def test_writes_of_one_moment_are_one_batch(tmp_path: Path) -> None:
    """300 writes make few commits, and a write of more than 500 rows makes one."""
    async with opened(tmp_path / "state.db") as backend:
        await asyncio.gather(*(backend.put([entry(name_of(number))]) for number in range(300)))
        assert 1 <= backend.batches <= 30
        before = backend.batches
        await backend.put(entries_of([b""] * 1_200))
        assert backend.batches == before + 1


async def test_batch_ends_with_500_rows(tmp_path: Path) -> None:
    """A thousand rows that arrive together are committed in two batches of 500."""
    async with opened(tmp_path / "state.db") as backend:
        groups = [[entry(name_of(10 * group + n)) for n in range(10)] for group in range(100)]
        await asyncio.gather(*(backend.put(group) for group in groups))

        assert backend.batches >= 2


async def test_answers_of_a_round_wake_the_loop_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread calls into the event loop once for all writes of a batch, not once for each."""
    async with opened(tmp_path / "state.db") as backend:
        loop, calls = asyncio.get_running_loop(), 0
        call = loop.call_soon_threadsafe

        def counted(*arguments: Any) -> Any:
            nonlocal calls
            calls += 1
            return call(*arguments)

        monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
        await asyncio.gather(*(backend.put([entry(name_of(number))]) for number in range(400)))

        assert calls <= backend.batches


async def test_reads_see_waiting_writes_and_do_not_wait_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A value can be read before its write is committed. Once its deletion has begun, the value is missing."""
    monkeypatch.setattr("proxy.state.sqlite.thread.BATCH_S", 0.5)
    async with opened(tmp_path / "state.db") as backend, asyncio.TaskGroup() as group:
        write = group.create_task(backend.put([entry("a", b"1")]))
        await asyncio.sleep(0)
        assert await backend.get(["a"]) == {"a": b"1"}
        assert not write.done()
        delete = group.create_task(backend.delete(["a"]))
        await asyncio.sleep(0)
        for _ in range(3):
            assert await backend.get(["a"]) == {}
        assert not delete.done()
        assert backend.batches == 0


async def test_write_is_in_the_file_once_acknowledged(tmp_path: Path) -> None:
    """A copy of the files, made when a write is acknowledged, holds the value."""
    path, copy = tmp_path / "state.db", tmp_path / "copy.db"
    async with opened(path) as backend:
        await backend.put([entry("a", b"1")])
        for side in ("", "-wal"):
            copy.with_name(copy.name + side).write_bytes(path.with_name(path.name + side).read_bytes())
    async with opened(copy) as backend:
        assert await backend.get(["a"]) == {"a": b"1"}


async def test_cancelled_caller_disturbs_nobody(tmp_path: Path) -> None:
    """The write of a caller that left is made, and the answers of others are right."""
    async with opened(tmp_path / "state.db") as backend:
        writes = [asyncio.ensure_future(backend.put([entry(name_of(number))])) for number in range(10)]
        await asyncio.sleep(0)
        writes[3].cancel()
        results = await asyncio.gather(*writes, return_exceptions=True)

        assert [isinstance(result, asyncio.CancelledError) for result in results].count(True) == 1
        assert len(await backend.get([name_of(number) for number in range(10)])) == 10


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
async def test_files_are_for_their_owner_alone(tmp_path: Path, umask: int) -> None:
    """Every file has the mode 0600 under any umask, also a file that others could read before."""
    path = tmp_path / "state.db"
    async with opened(path) as backend:
        await backend.put([entry("a")])
    path.chmod(0o644)
    (tmp_path / "state.db.lock").chmod(0o666)
    before = os.umask(umask)
    try:
        async with opened(path) as backend, opened(tmp_path / "new.db") as new:
            await asyncio.gather(backend.put([entry("b")]), new.put([entry("b")]))
            files = modes(tmp_path)
    finally:
        os.umask(before)

    assert {"state.db", "state.db-wal", "state.db.lock", "new.db", "new.db-wal", "new.db.lock"} <= set(files)
    assert set(files.values()) == {0o600}


async def test_link_to_a_file_in_use_is_refused(tmp_path: Path) -> None:
    """Two names of one file lead to one lock."""
    (tmp_path / "link.db").symlink_to(tmp_path / "state.db")
    async with opened(tmp_path / "state.db"):
        with pytest.raises(StoreInUse):
            await SqliteBackend(str(tmp_path / "link.db"), MIB, SetAside()).open()


async def test_closed_store_fails_every_call(tmp_path: Path) -> None:
    """Before opening and after closing each call is a failure of the connection. Closing twice is allowed."""
    backend = SqliteBackend(str(tmp_path / "state.db"), MIB, SetAside())
    for _ in range(2):
        with pytest.raises(StoreFault) as fault:
            await backend.get(["a"])
        assert fault.value.kind is FaultKind.CONNECTION
        await backend.open()
        await backend.ping()
        await backend.close()
        await backend.close()


async def test_thread_ends_with_the_store(tmp_path: Path) -> None:
    """Closing leaves no thread behind, and a store that could not be opened neither."""
    async with opened(tmp_path / "state.db"):
        with pytest.raises(StoreInUse):
            await SqliteBackend(str(tmp_path / "state.db"), MIB, SetAside()).open()
        assert [thread.name for thread in threading.enumerate()].count("turnright-store") <= 2
    for thread in threading.enumerate():
        if thread.name == "turnright-store":
            thread.join(5)
            assert not thread.is_alive()


async def test_cancelled_open_can_be_repeated(tmp_path: Path) -> None:
    """A caller that gave up opening opens the same file again, and does not meet its own lock."""
    backend = SqliteBackend(str(tmp_path / "state.db"), MIB, SetAside())
    first = asyncio.ensure_future(backend.open())
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait((first,))
    await backend.open()
    await backend.ping()
    await backend.close()
