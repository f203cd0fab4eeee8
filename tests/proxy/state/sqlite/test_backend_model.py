"""Tests the store in an SQLite file against a dictionary, by random sequences of calls, restarts and clocks."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typing_extensions import override

from proxy.state.external.backend import Entry
from proxy.state.sqlite.backend import SqliteBackend
from tests.support.sqlite_stores import MIB, SetAside, SteppedClock, integrity

T = TypeVar("T")

NAMES = st.sampled_from([f"tr:1:{{{number}}}:x" for number in range(6)])
VALUES = st.sampled_from([b"", b"1", b"2", b"\0" * 5_000])
LIFETIMES = st.sampled_from([1.0, 60.0, 3_600.0])
ENTRIES = st.lists(st.builds(Entry, NAMES, VALUES, LIFETIMES), max_size=8)


class SqliteModel(RuleBasedStateMachine):
    """An open store, and a dictionary of the values that should stand, with the moments at which they expire."""

    @initialize()
    def open(self) -> None:
        """Begin with an empty file."""
        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "state.db"
        self.clock = SteppedClock()
        self.noted = SetAside()
        self.expected: dict[str, tuple[bytes, float]] = {}
        self.writes: list[asyncio.Future[Any]] = []
        self.runner = asyncio.Runner()
        self.backend = SqliteBackend(str(self.path), 64 * MIB, self.noted, self.clock)
        self.run(self.backend.open())

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """Return the result of *call*."""
        return self.runner.run(call)

    def start(self, call: Coroutine[Any, Any, Any]) -> None:
        """Begin a write without waiting until it is acknowledged."""

        async def begin() -> None:
            self.writes.append(asyncio.ensure_future(call))
            await asyncio.sleep(0)

        self.run(begin())

    def standing(self, name: str) -> bytes | None:
        """Return the value that should stand under *name*."""
        value, until = self.expected.get(name, (None, 0.0))
        return value if until > self.clock.now else None

    @rule(entries=ENTRIES, waits=st.booleans())
    def put(self, entries: Sequence[Entry], waits: bool) -> None:
        """Write entries."""
        call = self.backend.put(entries)
        self.run(call) if waits else self.start(call)
        for name, value, lifetime_s in entries:
            self.expected[name] = value, self.clock.now + lifetime_s

    @rule(names=st.lists(NAMES, max_size=8), waits=st.booleans())
    def delete(self, names: Sequence[str], waits: bool) -> None:
        """Delete entries."""
        call = self.backend.delete(names)
        self.run(call) if waits else self.start(call)
        for name in names:
            self.expected.pop(name, None)

    @rule(name=NAMES, old=st.none() | VALUES, new=st.none() | VALUES, lifetime_s=LIFETIMES)
    def swap(self, name: str, old: bytes | None, new: bytes | None, lifetime_s: float) -> None:
        """Replace one value by another, whichever stands."""
        stands = self.standing(name)
        if stands == old:
            stands = new
            self.expected.pop(name, None)
            if new is not None:
                self.expected[name] = new, self.clock.now + lifetime_s
        assert self.run(self.backend.swap(name, old, new, lifetime_s)) == stands

    @rule(seconds=st.sampled_from([0.5, 59.0, 3_600.0]))
    def wait(self, seconds: float) -> None:
        """Let time pass, after all writes are acknowledged."""
        self.acknowledge()
        self.clock.now += seconds

    @rule()
    def acknowledge(self) -> None:
        """Wait until all writes are acknowledged."""
        writes, self.writes = self.writes, []

        async def finish() -> None:
            await asyncio.gather(*writes)

        self.run(finish())

    @rule()
    def restart(self) -> None:
        """Close the store while writes may be waiting, and open it again."""
        self.run(self.backend.close())
        assert all(write.done() for write in self.writes)
        assert integrity(self.path) == "ok"
        self.run(self.backend.open())

    @invariant()
    def agrees(self) -> None:
        """Find the values of the dictionary in the store, whether their writes are acknowledged or not."""
        names = [f"tr:1:{{{number}}}:x" for number in range(7)]
        expected = {name: value for name in names if (value := self.standing(name)) is not None}
        assert self.run(self.backend.get(names)) == expected

    @override
    def teardown(self) -> None:
        """Close the store."""
        if hasattr(self, "backend"):
            self.acknowledge()
            self.run(self.backend.close())
            self.runner.close()
            self.directory.cleanup()
            assert self.noted.names == []


TestSqliteModel = SqliteModel.TestCase
TestSqliteModel.settings = settings(max_examples=max(1, settings().max_examples // 5), stateful_step_count=20)
