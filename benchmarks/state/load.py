"""An open loop: requests begin at a fixed rate, however long the answers take.

Each request belongs to a session, whose turns go to the replicas in turn. So a replica seldom has the signature of the
newest call in its own memory.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp

from benchmarks.gateway.series import quantile
from benchmarks.state.sessions import Failed, Session

TURNS = 6
"""The number of turns of a session."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one request. *at* is the moment of its start, in the event loop's time."""

    at: float
    seconds: float
    mark: str
    failure: str
    """The reason of a failure, or ""."""

    left: bool = False
    """True where the client left before the answer."""


class OpenLoad:
    """Sends *rate* requests a second to the replicas. *origins* returns the addresses of the replicas to use.

    *leave_after* returns the seconds after which a request's client leaves, or None where it waits for the answer.
    """

    def __init__(
        self,
        origins: Callable[[], list[str]],
        rate: float,
        *,
        key: str = "",
        leave_after: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.origins = origins
        self._interval = 1.0 / rate
        self._key = key
        self._leave_after = leave_after
        self._idle: deque[Session] = deque()
        self._started = 0
        self.outcomes: list[Outcome] = []
        self.behind_s = 0.0
        """The longest time by which a request was sent too late, since this process was busy."""

    async def run(self, stop: asyncio.Event) -> None:
        """Send requests until *stop* is set, and wait for the last answers."""
        loop = asyncio.get_running_loop()
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=300)
        async with aiohttp.ClientSession(connector=connector) as http, asyncio.TaskGroup() as group:
            due = loop.time()
            while not stop.is_set():
                if (left := due - loop.time()) > 0:
                    await asyncio.sleep(left)
                else:
                    self.behind_s = max(self.behind_s, -left)
                    await asyncio.sleep(0)
                group.create_task(self._ask(http, self._next_session()))
                due += self._interval

    def since(self, begin: float, end: float) -> list[Outcome]:
        """Return the outcomes of the requests that began from *begin* to *end*, sorted by their duration."""
        return sorted((one for one in self.outcomes if begin <= one.at < end), key=lambda one: one.seconds)

    def _next_session(self) -> Session:
        if self._idle:
            return self._idle.popleft()
        self._started += 1
        return Session(stream=self._started % 2 == 0, key=self._key)

    async def _ask(self, http: aiohttp.ClientSession, session: Session) -> None:
        loop = asyncio.get_running_loop()
        began, mark = loop.time(), session.mark
        origins = self.origins()
        origin = origins[(session.number + session.turns) % len(origins)]
        failure, left = "", False
        try:
            async with asyncio.timeout(self._leave_after()):
                await session.take_turn(http, origin)
        except Failed as error:
            failure = str(error)
        except TimeoutError:
            left = True
        self.outcomes.append(Outcome(began, loop.time() - began, mark, failure, left))
        if not failure and not left and session.turns < TURNS:
            self._idle.append(session)


def p99_ms(outcomes: list[Outcome]) -> float:
    """Return the milliseconds within which 99 % of *outcomes* ended. *outcomes* are sorted by their duration."""
    return quantile([one.seconds for one in outcomes], 0.99) * 1000
