"""The state of an emulator: the requests that it received, and the faults that it will apply.

Faults are dicts in a queue, one per chat request, so that a test reads as a script. A dict may carry several
keys, for example `{"chunk_delay_seconds": 0.1, "cut_after_chunks": 2}`.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from tests.support.emulated.wire import Refused

MAX_RECORDED = 1000

Finished = Literal["complete", "disconnected", "cut"]


class Fault(TypedDict, total=False):
    """A fault or a scripted answer for one chat request."""

    status: int  # answer with this error status, judged or not
    message: str  # the error's message
    type: str  # the error's type; follows from the status when absent
    code: str | None
    headers: dict[str, str]  # added to the answer, be it the error or a good one
    delay_seconds: float  # before the first byte
    chunk_delay_seconds: float  # before each event of a stream
    cut_after_chunks: int  # close the connection after so many events; without a stream, at once
    garbage: bool  # answer 200 with something that is no JSON
    payload: Any  # answer 200 with this JSON instead
    text: str  # say this instead, `""` for the empty answer
    calls: list[tuple[str, dict[str, Any]]]  # make these calls instead: names and arguments
    reasoning: str  # with a text or calls: think this first; otherwise the model thinks if it was asked to
    ends: str  # with a text or calls: end as the format's own word says, for formats that have such words
    items: list[dict[str, Any]]  # answer with these items or blocks instead, in the provider's own format


@dataclass(slots=True)
class RecordedRequest:
    """One chat request as received, and how it ended. `finished` is None while the request is being served."""

    body: Any
    raw: bytes
    headers: Mapping[str, str]
    path: str = ""
    refusal: Refused | None = None
    status: int | None = None
    chunks_sent: int = 0
    finished: Finished | None = None
    _ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def end(self, how: Finished) -> None:
        """Record how the request ended. Only the first call of this method counts."""
        self.finished = self.finished or how
        self._ended.set()

    async def ended(self) -> Finished | None:
        """Wait at most 30 seconds until the request was served or given up, and return how it ended."""
        async with asyncio.timeout(30):
            await self._ended.wait()
        return self.finished


@dataclass(slots=True)
class Emulator:
    """The recorded requests and the queued faults of one emulator."""

    base_url: str = ""
    requests: deque[RecordedRequest] = field(default_factory=lambda: deque(maxlen=MAX_RECORDED))
    faults: deque[Fault] = field(default_factory=deque)
    answered: int = 0

    def clear(self) -> None:
        """Forget the recorded requests and the queued faults."""
        self.requests.clear()
        self.faults.clear()
