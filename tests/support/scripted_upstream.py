"""An upstream that follows a test's script: it answers, pauses, fails and hangs on demand.

Each call takes the next reply of the script. A reply is a list of steps that run in order. When the script is
used up, a call gets `GOOD_ANSWER` or `GOOD_STREAM`.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from proxy.config import Settings
from proxy.core.deployment import Deployment
from proxy.core.upstream_call import Answer, Chunk, TextCall, UpstreamCall
from proxy.upstream.timeouts import CallTimer

End = Literal["finished", "failed", "cancelled", "closed"]


@dataclass(frozen=True, slots=True)
class Pause:
    """A step that waits for *seconds*."""

    seconds: float


HANG = Pause(3600)
"""A step that does not end by itself."""

Step = dict[str, Any] | BaseException | Pause | asyncio.Event
"""A step: a value to answer, an error to raise, a pause, or an event to wait for."""


def answer(text: Any = "Good day.", **message: Any) -> Answer:
    """Return a whole answer. Keyword arguments become fields of its message."""
    said = {"role": "assistant", "content": text, **message}
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": "scripted",
        "choices": [{"index": 0, "message": said, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
    }


def chunk(delta: Any = None, finish: str | None = None, *, index: int = 0, **fields: Any) -> Chunk:
    """Return a chunk with one choice. Keyword arguments become fields of the chunk."""
    choice = {"index": index, "delta": delta or {}, "finish_reason": finish}
    return {"id": "chatcmpl-scripted", "model": "scripted", "choices": [choice], **fields}


def say(text: str) -> Chunk:
    """Return a chunk with text."""
    return chunk({"content": text})


STOP = chunk(finish="stop")
GOOD_ANSWER: list[Step] = [answer()]
GOOD_STREAM: list[Step] = [chunk({"role": "assistant", "content": ""}), say("Good "), say("day."), STOP]


@dataclass(slots=True)
class Exchange:
    """One call and its end: finished, failed, cancelled in a wait, or closed between two chunks."""

    call: UpstreamCall
    stream: bool
    end: End | None = None
    chunks: AsyncGenerator[Chunk, None] | None = None
    """The generator is kept, so that the garbage collector does not close it before the proxy does."""

    _ended: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def note(self, end: End) -> None:
        """Record how the call ended. Later records are ignored."""
        self.end = self.end or end
        self._ended.set()

    async def ended(self, *, within: float = 30.0) -> End | None:
        """Return how the call ended. Raises `TimeoutError` if the call has not ended after *within* seconds."""
        async with asyncio.timeout(within):
            await self._ended.wait()
        return self.end


class ScriptedUpstream:
    """An upstream that follows its script, and records every call.

    *unsupported* names the parameters that the imitated provider does not accept.
    """

    def __init__(self, *replies: Iterable[Step], unsupported: Iterable[str] = ()) -> None:
        self.script: deque[list[Step]] = deque(list(reply) for reply in replies)
        self.exchanges: list[Exchange] = []
        self.plain_calls: list[TextCall] = []
        self.starting = asyncio.Event()
        self.may_start = asyncio.Event()
        self.may_start.set()
        self.closed = False
        self._unsupported = frozenset(unsupported)

    @property
    def calls(self) -> list[UpstreamCall]:
        """The calls that were sent, in order."""
        return [exchange.call for exchange in self.exchanges]

    def then(self, *steps: Step) -> None:
        """Append a reply to the script."""
        self.script.append(list(steps))

    async def called(self, count: int = 1) -> Exchange:
        """Wait until *count* calls have been made, and return call number *count*."""
        async with asyncio.timeout(30):
            while len(self.exchanges) < count:  # noqa: ASYNC110 - a test may poll
                await asyncio.sleep(0.001)
        return self.exchanges[count - 1]

    async def start(self) -> None:
        """Wait until `may_start` is set, as an upstream that warms up."""
        self.starting.set()
        await self.may_start.wait()

    async def prepare(self, settings: Settings) -> None:
        """Do nothing: the script needs no preparation."""

    async def close(self) -> None:
        """Record that the upstream was closed."""
        self.closed = True

    def unsupported(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the test declared as unsupported."""
        return self._unsupported & parameters.keys()

    async def count_tokens(self, call: UpstreamCall) -> Answer:
        """Run the next reply up to its first answer, as `complete` does."""
        return await self.complete(call)

    async def complete(self, call: UpstreamCall) -> Answer:
        """Run the next reply up to its first answer."""
        exchange, steps = self._open(call, stream=False)
        try:
            for step in steps:
                if (found := await _take(step)) is not None:
                    exchange.note("finished")
                    return found
        except asyncio.CancelledError:
            exchange.note("cancelled")
            raise
        except BaseException:
            exchange.note("failed")
            raise
        raise AssertionError("the reply holds no answer")

    def stream(self, call: UpstreamCall) -> AsyncGenerator[Chunk, None]:
        """Run the next reply and yield its chunks."""
        exchange, steps = self._open(call, stream=True)
        exchange.chunks = self._chunks(exchange, steps)
        return exchange.chunks

    async def _chunks(self, exchange: Exchange, steps: list[Step]) -> AsyncGenerator[Chunk, None]:
        timer = CallTimer(exchange.call.timeouts, stream=True)
        try:
            for step in steps:
                if (found := await timer.wait(_take(step))) is not None:
                    timer.note_chunk(found)
                    yield found
        except asyncio.CancelledError:
            exchange.note("cancelled")
            raise
        except GeneratorExit:
            exchange.note("closed")
            raise
        except BaseException:
            exchange.note("failed")
            raise
        exchange.note("finished")

    def unsupported_embedding(self, deployment: Deployment, parameters: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the test declared as unsupported."""
        return self.unsupported(deployment, parameters)

    async def embed(self, call: TextCall) -> Answer:
        """Run the next reply up to its first answer. The script must have a reply."""
        self.plain_calls.append(call)
        for step in self.script.popleft():
            if (found := await _take(step)) is not None:
                return found
        raise AssertionError("the reply holds no answer")

    async def complete_text(self, call: TextCall) -> Answer:
        """Run the next reply up to its first answer, as `embed` does."""
        return await self.embed(call)

    async def stream_text(self, call: TextCall) -> AsyncGenerator[Chunk, None]:
        """Run the next reply and yield its chunks. The script must have a reply."""
        self.plain_calls.append(call)
        for step in self.script.popleft():
            if (found := await _take(step)) is not None:
                yield found

    def _open(self, call: UpstreamCall, *, stream: bool) -> tuple[Exchange, list[Step]]:
        exchange = Exchange(call, stream)
        self.exchanges.append(exchange)
        default = GOOD_STREAM if stream else GOOD_ANSWER
        return exchange, self.script.popleft() if self.script else default


async def _take(step: Step) -> dict[str, Any] | None:
    if isinstance(step, Pause):
        await asyncio.sleep(step.seconds)
        return None
    if isinstance(step, asyncio.Event):
        await step.wait()
        return None
    if isinstance(step, BaseException):
        raise step
    return step
