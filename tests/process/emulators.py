"""The emulated providers: Gemini's emulator in a process, and all others in a thread."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import httpx

from tests.support.emulated import Emulator, Wire, serving
from tests.support.openai_emulator import OPENAI, OpenAIEmulator


class Gemini:
    """The control endpoints of a running ``turnright emulate``."""

    def __init__(self, origin: str, client: httpx.Client) -> None:
        self.origin = origin
        self._client = client
        self._queued = {"faults", "answers"}

    @property
    def api_base(self) -> str:
        """The ``api_base`` with which a configuration sends calls to the emulator."""
        return f"{self.origin}/v1beta"

    def clear(self, *names: str) -> None:
        """Empty the queues ``faults`` and ``answers`` and the journal ``requests``, or only those in *names*.

        Without *names*, a queue that was not filled since it was cleared is skipped, since thousands of tests begin
        with this call.
        """
        for name in names or ("requests", *self._queued):
            self._client.delete(f"{self.origin}/_emulator/{name}").raise_for_status()
        self._queued = self._queued - {*names} if names else set()

    def fault(self, **fault: Any) -> None:
        """Queue one fault."""
        self._queued.add("faults")
        self._client.post(f"{self.origin}/_emulator/faults", json={"faults": [fault]}).raise_for_status()

    def say(self, text: str) -> None:
        """Queue one answer of the model that is this text."""
        self.answer({"text": text})

    def answer(self, *parts: Mapping[str, Any], finish_reason: str = "STOP") -> None:
        """Queue one answer of these parts, in Gemini's own shape."""
        self._queued.add("answers")
        answer = {"parts": [dict(part) for part in parts], "finishReason": finish_reason}
        self._client.post(f"{self.origin}/_emulator/answers", json={"answers": [answer]}).raise_for_status()

    def journal(self) -> list[dict[str, Any]]:
        """Return the requests that came in, oldest first."""
        entries: list[dict[str, Any]] = self._client.get(f"{self.origin}/_emulator/requests").json()[
            "requests"
        ]
        return entries

    def wait_for_ends(self, count: int, seconds: float = 30.0) -> list[str]:
        """Return how requests ended, as soon as *count* of them have, or after *seconds*."""
        limit = time.monotonic() + seconds
        while True:
            ends = [entry["finished"] for entry in self.journal() if entry["finished"] != "running"]
            if len(ends) >= count or time.monotonic() > limit:
                return ends
            time.sleep(0.002)


@contextmanager
def openai_in_a_thread() -> Iterator[OpenAIEmulator]:
    """Serve the OpenAI emulator in a thread while the context lasts."""
    with in_a_thread({"openai": OPENAI}) as emulators:
        yield emulators["openai"]


@contextmanager
def in_a_thread(wires: Mapping[str, Wire]) -> Iterator[dict[str, Emulator]]:
    """Serve an emulator of each wire on one event loop in a thread, while the context lasts.

    The emulators' queues are deques, which a test may fill and read from its own thread.
    """
    ready, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()
    served: dict[str, Emulator] = {}

    async def run() -> None:
        async with AsyncExitStack() as stack:
            for name, wire in wires.items():
                served[name] = await stack.enter_async_context(serving(wire))
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), name="emulators")
    thread.start()
    try:
        assert ready.wait(60)
        yield served
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()
