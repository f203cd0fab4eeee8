"""Calls the sources of shared facts in the background: each with its own period, and earlier when it is woken.

A source reads what other replicas have written to the store, or writes what this process has learned. The process goes
on without an exchange, so an error of a source ends neither the loop nor the other sources.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]
Report: TypeAlias = Callable[[str, Exception | None], None]
"""Called with the name of a source and its error, or with None where the source works again."""

Wait: TypeAlias = Callable[[asyncio.Event | None, float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class SyncSource:
    """One source of shared facts: its name for the log, the function to call, and the period in seconds.

    The function gets the time. It is also called at once when *wake* is set. The loop clears *wake* before the call.
    """

    name: str
    exchange: Callable[[float], Awaitable[None]]
    period_s: float
    wake: asyncio.Event | None = None


async def wait_for(wake: asyncio.Event | None, seconds: float) -> None:
    """Return after *seconds*, or when *wake* is set."""
    if wake is None:
        await asyncio.sleep(seconds)
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await wake.wait()


class ReplicaSync:
    """Exchanges shared facts with other replicas, for as long as :meth:`run` runs.

    *report* is called when a source begins to fail, and when it works again. *wait* is :func:`wait_for`, except in
    tests.
    """

    def __init__(
        self, sources: Sequence[SyncSource], clock: Clock, report: Report, *, wait: Wait = wait_for
    ) -> None:
        self._sources = tuple(sources)
        self._clock = clock
        self._report = report
        self._wait = wait

    async def run(self) -> None:
        """Call each source at once, and then in its period, until this coroutine is cancelled."""
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(self._run(source))

    async def _run(self, source: SyncSource) -> None:
        failed = False
        while True:
            if source.wake is not None:
                source.wake.clear()
            try:
                await source.exchange(self._clock())
            except Exception as error:  # noqa: BLE001 - the process goes on without an exchange
                if not failed:
                    self._report(source.name, error)
                failed = True
            else:
                if failed:
                    self._report(source.name, None)
                failed = False
            await self._wait(source.wake, source.period_s)
