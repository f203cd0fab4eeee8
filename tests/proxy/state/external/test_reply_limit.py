"""Tests of the time limit for a reply."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from proxy.state.external.reply_limit import ReplyLimit


@asynccontextmanager
async def connection() -> AsyncIterator[tuple[asyncio.StreamReader, socket.socket]]:
    """Yield a reader and the socket of its peer."""
    own, peer = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=own)
    try:
        yield reader, peer
    finally:
        writer.close()
        peer.close()


async def test_reply_that_came_while_the_loop_was_busy_is_read() -> None:
    """The loop is busy for longer than the limit, and the reply is there when it looks."""
    async with connection() as (reader, peer):

        def keep_busy() -> None:
            time.sleep(0.08)
            peer.sendall(b"reply\n")

        asyncio.get_running_loop().call_soon(keep_busy)

        with ReplyLimit(0.02):
            assert await reader.readline() == b"reply\n"


async def test_missing_reply_is_given_up() -> None:
    """The task goes on as if it had never been cancelled."""
    async with connection() as (reader, _):
        with pytest.raises(TimeoutError), ReplyLimit(0.01):
            await reader.readline()

        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0


async def test_cancellation_from_outside_stays_one() -> None:
    """A client that leaves is no time-out."""
    async with connection() as (reader, _):

        async def read() -> None:
            with ReplyLimit(10):
                await reader.readline()

        async with asyncio.TaskGroup() as group:
            task = group.create_task(read())
            await asyncio.sleep(0.01)
            task.cancel()
        assert task.cancelled()


async def test_other_errors_pass() -> None:
    """An error within the limit is raised as it is, and the limit does not act later."""
    with pytest.raises(ValueError, match="mine"), ReplyLimit(0.01):
        raise ValueError("mine")
    await asyncio.sleep(0.03)
