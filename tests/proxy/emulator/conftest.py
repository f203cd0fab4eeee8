"""Fixtures of the emulator's tests: a served emulator and a client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from proxy.emulator import serving


@dataclass
class Client:
    """A client of one emulator."""

    session: aiohttp.ClientSession
    base: str

    async def post(self, path: str, body: Any) -> tuple[int, Any]:
        """Post *body* and return the status and the JSON of the answer."""
        async with self.session.post(f"{self.base}{path}", json=body) as response:
            return response.status, await response.json()

    async def get(self, path: str) -> tuple[int, Any]:
        """Return the status and the JSON of *path*."""
        async with self.session.get(f"{self.base}{path}") as response:
            return response.status, await response.json()

    async def delete(self, path: str) -> int:
        """Delete *path* and return the status."""
        async with self.session.delete(f"{self.base}{path}") as response:
            return response.status

    async def fault(self, **fault: Any) -> None:
        """Queue one fault with the fields *fault*."""
        assert (await self.post("/_emulator/faults", {"faults": [fault]}))[0] == 200

    async def journal(self) -> list[dict[str, Any]]:
        """Return the entries of the emulator's journal."""
        entries: list[dict[str, Any]] = (await self.get("/_emulator/requests"))[1]["requests"]
        return entries


@pytest.fixture
async def emulator() -> AsyncIterator[Client]:
    """Serve a fresh emulator."""
    async with serving() as base, aiohttp.ClientSession() as session:
        yield Client(session, base)
