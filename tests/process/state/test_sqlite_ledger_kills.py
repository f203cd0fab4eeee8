"""A test that a process that is killed loses no spend that its ledger has written, and counts nothing twice."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections import deque
from pathlib import Path

from proxy.config import Settings
from proxy.state.create_limiter import create_limiter
from proxy.state.create_store import create_store
from proxy.state.external.external_store import ExternalStore
from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import KeyTotals, Need
from tests.support.dictionary_backend import CountedEvents
from tests.support.limited_keys import limited

KILLS = 3
AT_ONCE = 5
RESERVED = 100
COST = 7


class Events(CountedEvents):
    """Listens to files that are set aside, too. None is."""

    def set_aside(self, file: str, reason: str) -> None:
        """Fail."""
        raise AssertionError(reason)


def settings_for(path: Path) -> Settings:
    """Return settings with a key whose spend stands in the file *path*."""
    return limited({"name": "a", "max_budget": 1_000}, store={"url": f"sqlite:///{path}"})


async def spend_and_tell(path: Path, pipe: int) -> None:
    """Send requests for ever. Say what was settled, and what of it the file has."""
    settings = settings_for(path)
    store = create_store(settings.store, Events())
    assert isinstance(store, ExternalStore)
    limiter = create_limiter(settings, store)
    async with store.running(*limiter.work()):
        [spend] = limiter.charged("a")
        marks = deque[tuple[int, int]]()
        written = 0
        while True:
            asked = [await limiter.admit("a", "", Need(0, RESERVED, 60.0)) for _ in range(AT_ONCE)]
            await asyncio.sleep(0.002)
            for admission in asked:
                assert isinstance(admission, Admission)
                admission.settle(nano_usd=COST, estimated_nano=0, tokens=1)
            marks.append((spend.changes, spend.requests))
            while marks and marks[0][0] <= spend.written:
                written = marks.popleft()[1]
            os.write(pipe, b"%d %d\n" % (spend.requests, written))


def run_and_kill(path: Path) -> tuple[int, int]:
    """Run a process that spends, and kill it. Return the requests that it settled, and those that it had written."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            asyncio.run(spend_and_tell(path, writer))
        except BaseException:  # noqa: BLE001 - nothing of the parent may run here
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(1)
    os.close(writer)
    told = b""
    while told.count(b"\n") < 30 and (more := os.read(reader, 65_536)):
        told += more
    os.kill(child, signal.SIGKILL)
    while more := os.read(reader, 65_536):
        told += more
    os.waitpid(child, 0)
    os.close(reader)
    lines = [tuple(map(int, line.split())) for line in told.decode().splitlines()]
    return lines[-1][0], max(written for _, written in lines)


async def read_totals(path: Path) -> KeyTotals:
    """Return what the next process finds."""
    settings = settings_for(path)
    store = create_store(settings.store, Events())
    assert isinstance(store, ExternalStore)
    limiter = create_limiter(settings, store)
    async with store.running(*limiter.work()):
        return (await limiter.totals())["a"]


def test_killed_process_loses_no_spend_that_was_written(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    before, written_before = 0, 0
    for _ in range(KILLS):
        settled, written = run_and_kill(path)
        totals = asyncio.run(read_totals(path))
        exact = totals.spent_nano - totals.estimated_nano

        assert written > 0
        assert max(written, written_before) * COST <= exact <= (settled + AT_ONCE) * COST
        assert totals.requests * COST == exact
        assert totals.estimated_nano <= before + AT_ONCE * RESERVED
        assert totals.reserved_nano == 0
        before, written_before = totals.estimated_nano, totals.requests
