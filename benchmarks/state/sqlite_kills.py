"""Kills a process that writes to an SQLite store, again and again, and looks for acknowledged writes that are lost.

The process is killed (SIGKILL) at a random moment under load. After each kill the file is opened as the next process
would open it. Every acknowledged write has to stand, and SQLite has to find the file sound. Also measured: the time
that opening takes with 100,000 entries and with none. The exit status is 1 if one of these fails.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median

from benchmarks.state.sqlite_writer import LIFETIME_S, MAX_BYTES, counter_of, name_of, value_of
from proxy.state.external.backend import Entry
from proxy.state.sqlite.backend import SqliteBackend

ROWS = 100_000
SLOWEST_S = 0.1
"""The most seconds by which opening may be slower than for an empty file.

It holds with :data:`ROWS` entries, and for the median after kills.
"""

_OPENINGS = 7
_READ_BYTES = 2**16
_SHORTEST_S, _LONGEST_S = 0.005, 0.4
"""The seconds between the first acknowledged write and the kill."""


@dataclass
class Report:
    """The result of all kills."""

    kills: int = 0
    acknowledged: int = 0
    """Writes that were acknowledged: entries put, entries deleted, counters replaced."""

    lost: int = 0
    unsound: list[str] = field(default_factory=list)
    """SQLite's words about files that were not sound, and files that were set aside."""

    open_s: list[float] = field(default_factory=list)
    """The seconds that opening took after each kill. Other work on the machine can only add time."""


@dataclass
class Acknowledged:
    """The writes that one process has acknowledged."""

    names: set[str] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    counters: dict[str, int] = field(default_factory=dict)
    writes: int = 0


def kill_once(path: Path, run: int, seconds: float) -> Acknowledged:
    """Start a writer, kill it *seconds* after its first acknowledged write, and return what it acknowledged."""
    command = [sys.executable, "-m", "benchmarks.state.sqlite_writer", str(path), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pieces = [os.read(process.stdout.fileno(), _READ_BYTES)]
        until = time.monotonic() + seconds
        while time.monotonic() < until and pieces[-1]:
            pieces.append(os.read(process.stdout.fileno(), _READ_BYTES))
        process.kill()
        pieces.append(process.stdout.read())
    if process.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the writer has ended by itself, with {process.returncode}")
    return read_lines(run, b"".join(pieces).decode().split("\n")[:-1])


def read_lines(run: int, lines: Sequence[str]) -> Acknowledged:
    """Return the writes that a writer has printed in complete *lines*."""
    found = Acknowledged()
    for line in lines:
        kind, writer, *numbers = line.split()
        if kind == "c":
            found.counters[counter_of(run, writer)] = int(numbers[0])
            found.writes += 1
            continue
        if kind not in "pwd":
            raise RuntimeError(line)
        first, count = map(int, numbers)
        names = [name_of(run, writer, first + n) for n in range(count)]
        if kind == "p":
            found.names.update(names)
        elif kind == "w":
            found.names.difference_update(names)
        else:
            found.deleted.update(names)
        found.writes += count if kind in "pd" else 0
    return found


async def count_lost(backend: SqliteBackend, acknowledged: Acknowledged) -> int:
    """Return the number of acknowledged writes that do not stand. A counter may be ahead of what was acknowledged."""
    names = sorted(acknowledged.names)
    stand = await backend.get(names)
    counters = await backend.get(sorted(acknowledged.counters))
    return (
        sum(stand.get(name) != value_of(name) for name in names)
        + len(await backend.get(sorted(acknowledged.deleted)))
        + sum(int(counters.get(name, b"0")) < least for name, least in acknowledged.counters.items())
    )


async def run_kills(path: Path, kills: int, seed: int) -> Report:
    """Kill a writer *kills* times over the same file, and check the file after each kill.

    At the end check all writes.
    """
    random, report, runs = Random(seed), Report(), list[Acknowledged]()

    def note_set_aside(name: str, reason: str) -> None:
        report.unsound.append(f"{name}: {reason}")

    for run in range(kills):
        runs.append(kill_once(path, run, random.uniform(_SHORTEST_S, _LONGEST_S)))
        backend = SqliteBackend(str(path), MAX_BYTES, note_set_aside)
        began = time.perf_counter()
        await backend.open()
        report.open_s.append(time.perf_counter() - began)
        report.lost += await count_lost(backend, runs[-1])
        if run == kills - 1:
            report.lost += sum([await count_lost(backend, one) for one in runs])
        await backend.close()
        verdict = check_integrity(path)
        if verdict != "ok":
            report.unsound.append(verdict)
    report.kills, report.acknowledged = kills, sum(one.writes for one in runs)
    return report


def check_integrity(path: Path) -> str:
    """Return SQLite's verdict on the file: "ok" for a sound one."""
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


async def time_opening(path: Path, rows: int) -> float:
    """Return the seconds that opening a file with *rows* entries takes: the smallest of a few openings."""
    backend = SqliteBackend(str(path), MAX_BYTES, print)
    await backend.open()
    names = [name_of(-1, "rows", number) for number in range(rows)]
    for start in range(0, rows, 500):
        await backend.put([Entry(name, value_of(name), LIFETIME_S) for name in names[start : start + 500]])
    await backend.close()
    samples = []
    for _ in range(_OPENINGS):
        began = time.perf_counter()
        await backend.open()
        await backend.ping()
        samples.append(time.perf_counter() - began)
        await backend.close()
    return min(samples)


def main() -> int:
    """Print the table. Return 1 if a write was lost, a file was not sound, or opening took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="kills (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=26, help="seed of the moments (default: %(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        report = asyncio.run(run_kills(Path(scratch) / "killed.db", arguments.kills, arguments.seed))
        empty = asyncio.run(time_opening(Path(scratch) / "empty.db", 0))
        full = asyncio.run(time_opening(Path(scratch) / "full.db", ROWS))
    rows = [
        ("kills", f"{report.kills}"),
        ("acknowledged writes", f"{report.acknowledged:,}"),
        ("acknowledged writes that were lost", f"{report.lost}"),
        ("files that were not sound", f"{len(report.unsound)}"),
        ("opening after a kill, median", f"{median(report.open_s) * 1e3:.1f} ms"),
        ("opening after a kill, slowest", f"{max(report.open_s) * 1e3:.1f} ms"),
        ("opening an empty file", f"{empty * 1e3:.1f} ms"),
        (f"opening a file with {ROWS:,} entries", f"{full * 1e3:.1f} ms"),
    ]
    print(f"CPython {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}\n")
    print("| measure | figure |\n| --- | ---: |")
    for name, figure in rows:
        print(f"| {name} | {figure} |")
    for words in report.unsound:
        print(words)
    return int(bool(report.lost or report.unsound or max(full, median(report.open_s)) - empty > SLOWEST_S))


if __name__ == "__main__":
    sys.exit(main())
