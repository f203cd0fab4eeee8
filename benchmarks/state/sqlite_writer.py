"""A process that writes to an SQLite store as fast as it can, and prints each write once it is acknowledged.

Each line names one write: ``p WRITER FIRST COUNT`` for entries that were put, ``d WRITER FIRST COUNT`` for entries that
were deleted, ``c WRITER NUMBER`` for a counter that was replaced. ``w WRITER FIRST COUNT`` says before a deletion that
the entries may be gone from now on. The process runs until it is killed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from hashlib import blake2b
from random import Random

from proxy.state.external.backend import Entry
from proxy.state.sqlite.backend import SqliteBackend

MAX_BYTES = 16 * 2**30
LIFETIME_S = 86_400.0
_MOST_ENTRIES = 20
_DELETED_SHARE = 0.1


def name_of(run: int, writer: str, number: int) -> str:
    """Return the name of an entry, in the form that the store gives."""
    digest = blake2b(f"{run} {writer} {number}".encode(), digest_size=16).hexdigest()
    return f"tr:1:{{{digest}}}:signatures"


def value_of(name: str) -> bytes:
    """Return the value of the entry *name*: 704 bytes, as many as a usual signature has."""
    return blake2b(name.encode()).digest() * 11


def counter_of(run: int, writer: str) -> str:
    """Return the name of the counter that one writer replaces again and again."""
    return name_of(run, f"counter of {writer}", 0)


def _say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def _write(backend: SqliteBackend, run: int, writer: str, random: Random) -> None:
    number = counted = 0
    old: bytes | None = None
    while True:
        names = [name_of(run, writer, number + n) for n in range(random.randint(1, _MOST_ENTRIES))]
        await backend.put([Entry(name, value_of(name), LIFETIME_S) for name in names])
        _say("p", writer, number, len(names))
        if random.random() < _DELETED_SHARE:
            _say("w", writer, number, len(names))
            await backend.delete(names)
            _say("d", writer, number, len(names))
        number += len(names)
        counted += 1
        new = b"%d" % counted
        if await backend.swap(counter_of(run, writer), old, new, LIFETIME_S) != new:
            raise RuntimeError(f"writer {writer} lost its counter")
        old = new
        _say("c", writer, counted)


async def _main(path: str, run: int, writers: int) -> None:
    backend = SqliteBackend(path, MAX_BYTES, lambda name, reason: _say("set-aside", name, reason))
    await backend.open()
    async with asyncio.TaskGroup() as group:
        for number in range(writers):
            writer = str(number)
            group.create_task(_write(backend, run, writer, Random(f"{run} {writer}")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("run", type=int)
    parser.add_argument("--writers", type=int, default=20)
    arguments = parser.parse_args()
    asyncio.run(_main(arguments.path, arguments.run, arguments.writers))
