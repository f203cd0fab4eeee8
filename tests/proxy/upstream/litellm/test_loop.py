"""Tests of the second event loop, which runs in its own thread: results, errors, cancelling and closing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from proxy.upstream.litellm.loop import CrossLoopStream, LoopThread
from tests.support.litellm_noise import LITELLM_NOISE

pytestmark = LITELLM_NOISE


async def where() -> int:
    """Return the id of the thread in which this runs."""
    await asyncio.sleep(0)
    return threading.get_ident()


async def test_a_coroutine_runs_in_one_other_thread() -> None:
    """The thread stays the same, so connections are reused."""
    thread = LoopThread()
    first, second = await thread.run(where()), await thread.run(where())
    await thread.close({})

    assert first == second != threading.get_ident()


async def test_error_of_a_coroutine_is_raised_as_the_same_object() -> None:
    """The caller gets the error object that the coroutine raised in the other thread."""
    thread, error = LoopThread(), ValueError("no")

    async def fail() -> None:
        raise error

    with pytest.raises(ValueError, match="no") as raised:
        await thread.run(fail())
    await thread.close({})

    assert raised.value is error


async def test_cancelling_cancels_the_coroutine_without_waiting() -> None:
    """The caller continues at once."""
    thread, ended = LoopThread(), threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await thread.run(wait())
    assert await asyncio.to_thread(ended.wait, 5)
    await thread.close({})


async def test_closing_cancels_the_tasks_that_still_run() -> None:
    """Closing the thread cancels its running tasks, since litellm leaves a logging task."""
    thread, ended = LoopThread(), threading.Event()

    async def work() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    tasks = list[asyncio.Task[None]]()

    async def begin() -> None:
        tasks.append(asyncio.get_running_loop().create_task(work()))
        await asyncio.sleep(0)

    await thread.run(begin())
    await thread.close({})

    assert await asyncio.to_thread(ended.wait, 5)


async def test_a_stream_is_closed_while_it_waits_for_a_chunk() -> None:
    """A running generator cannot be closed, so closing the stream waits until the cancelled step has ended."""
    thread, closed = LoopThread(), threading.Event()

    async def chunks() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            closed.set()

    async def make() -> AsyncGenerator[int, None]:
        return chunks()

    stream = CrossLoopStream(thread, await thread.run(make()))
    assert await anext(stream) == 1
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await anext(stream)
    await stream.aclose()
    await thread.close({})

    assert closed.is_set()


async def test_closing_closes_only_the_clients_of_this_loop() -> None:
    """Litellm's cache may hold clients of several event loops. Each key ends with the id of the client's loop."""
    thread, closed = LoopThread(), list[str]()

    class Client:
        def __init__(self, name: str) -> None:
            self.name = name

        async def close(self) -> None:
            closed.append(self.name)

    async def loop_id() -> int:
        return id(asyncio.get_running_loop())

    other, own = await loop_id(), await thread.run(loop_id())
    cache: dict[str, Any] = {f"openai-{other}": Client("other"), f"openai-{own}": Client("own")}
    await thread.close(cache)

    assert closed == ["own"]
    assert list(cache) == [f"openai-{other}"]
