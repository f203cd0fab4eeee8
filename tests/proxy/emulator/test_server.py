"""Tests that a handler of the served emulator ends when its client disconnects."""

from __future__ import annotations

import asyncio

import pytest

from tests.proxy.emulator.conftest import Client
from tests.proxy.emulator.wire import V2_5, body, text, user

PROMPT = body(user(text("one two three four five six seven")))
PATH = f"/v1beta/models/{V2_5}:generateContent"
STREAM = f"/v1beta/models/{V2_5}:streamGenerateContent?alt=sse"


async def until_finished(client: Client) -> str:
    """Wait up to a second for the end of the newest request, and return its outcome in the journal."""
    for _ in range(100):
        finished: str = (await client.journal())[-1]["finished"]
        if finished != "running":
            return finished
        await asyncio.sleep(0.01)
    return "running"


async def test_disconnect_during_a_stream_is_recorded_at_once(emulator: Client) -> None:
    """The journal records the disconnect, although the next chunk is delayed by 30 seconds."""
    await emulator.fault(chunk_delay_seconds=30)

    async with emulator.session.post(emulator.base + STREAM, json=PROMPT) as response:
        await response.content.readany()
        assert (await emulator.journal())[-1]["finished"] == "running"
        response.close()

    assert await until_finished(emulator) == "disconnected"


async def test_disconnect_before_the_answer_is_recorded_at_once(emulator: Client) -> None:
    """The journal records the disconnect, although the answer is delayed by 30 seconds."""
    await emulator.fault(delay_seconds=30)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await emulator.post(PATH, PROMPT)

    assert await until_finished(emulator) == "disconnected"
