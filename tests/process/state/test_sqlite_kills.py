"""Tests with a few kills of ``python -m benchmarks.state.sqlite_kills``: no acknowledged write is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmarks.state.sqlite_kills import count_lost, kill_once, run_kills
from tests.support.sqlite_stores import opened, query

KILLS = 5


async def test_killed_process_loses_no_acknowledged_write(tmp_path: Path) -> None:
    """After each kill every acknowledged write stands, and the file is sound."""
    report = await run_kills(tmp_path / "state.db", KILLS, seed=5)

    assert (report.kills, report.lost, report.unsound) == (KILLS, 0, [])
    assert report.acknowledged > 100


async def test_lost_writes_are_counted(tmp_path: Path) -> None:
    """Entries and counters that somebody removed after the kill count as lost. So do entries that came back."""
    path = tmp_path / "state.db"
    acknowledged = await asyncio.to_thread(kill_once, path, 0, 0.2)
    async with opened(path) as backend:
        assert await count_lost(backend, acknowledged) == 0
    name = min(acknowledged.names)
    query(path, "DELETE FROM entries WHERE name = ?", name)
    query(path, "DELETE FROM entries WHERE name = ?", min(acknowledged.counters))
    acknowledged.deleted.add(max(acknowledged.names))
    async with opened(path) as backend:
        assert await count_lost(backend, acknowledged) == 3
