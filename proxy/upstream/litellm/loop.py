"""A second event loop in a daemon thread, for litellm's calls that would block the main loop.

litellm and OpenAI's SDK convert a request on the event loop that calls them. 500 KB of short messages took 3.7 s, and
every other request waited that long (1.105.3, 2026-11-23). A busy thread still lets the main loop run
(:func:`proxy.core.offload.shorten_switch_interval`). litellm keeps separate HTTP clients for each event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_END_S = 1.0
"""Seconds that the second loop's clients have to close, and that its tasks have to end."""


class LoopThread:
    """Runs coroutines on a second event loop. The first coroutine starts the loop's thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of *work*, or raise its error.

        Cancelling this coroutine cancels *work*, without waiting for its end.
        """
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._running()))

    async def close(self, clients: dict[str, Any]) -> None:
        """Close the second loop's HTTP clients and stop the loop. *clients* is litellm's cache of all clients."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        own = [clients.pop(name) for name in list(clients) if name.endswith(f"-{id(loop)}")]
        closing = asyncio.run_coroutine_threadsafe(_close_all(own), loop)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(closing), _END_S)
        loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(self._loop,), name="litellm", daemon=True).start()
        return self._loop


class CrossLoopStream:
    """An asynchronous generator of another event loop, iterated from this one."""

    def __init__(self, thread: LoopThread, chunks: AsyncGenerator[Any, None]) -> None:
        self._thread, self._chunks = thread, chunks
        self._step_lock = asyncio.Lock()
        """Makes :meth:`aclose` wait for a step that was cancelled, since a running generator cannot be closed."""

    def __aiter__(self) -> CrossLoopStream:
        return self

    async def __anext__(self) -> Any:
        """Return the next chunk."""
        return await self._thread.run(self._next())

    async def aclose(self) -> None:
        """Close the generator on its own event loop."""
        await self._thread.run(self._close())

    async def _next(self) -> Any:
        async with self._step_lock:
            return await anext(self._chunks)

    async def _close(self) -> None:
        async with self._step_lock:
            await self._chunks.aclose()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
        loop.run_until_complete(_end_tasks())
    finally:
        loop.close()


async def _end_tasks() -> None:
    """Cancel the tasks that are still on this loop, such as litellm's logging task."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left, timeout=_END_S)


async def _close_all(clients: list[Any]) -> None:
    for client in clients:
        with contextlib.suppress(Exception):  # the process ends: a client that fails to close changes nothing
            await client.close()
