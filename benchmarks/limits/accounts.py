"""The gateway's own account of a key, as its client reads it from ``GET /v1/key``."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import aiohttp

from benchmarks.limits.asking import headers_of


@dataclass(frozen=True, slots=True)
class Spend:
    """The spend of a key in its period, in nano-dollars. *spent_nano* includes *estimated_nano*."""

    spent_nano: int
    estimated_nano: int

    @property
    def exact_nano(self) -> int:
        """The spend whose usage was said by the provider."""
        return self.spent_nano - self.estimated_nano


async def read_key(origin: str, key: str) -> dict[str, Any]:
    """Return the answer to ``GET /v1/key`` of a key."""
    async with aiohttp.request("GET", f"{origin}/v1/key", headers=headers_of(key)) as response:
        text = await response.text()
        if response.status != 200:
            raise RuntimeError(f"GET /v1/key: {response.status}: {text}")
        return dict(await response.json())


async def read_spend(origin: str, key: str) -> Spend:
    """Return the spend that the replica at *origin* tells of the key named *key*."""
    found = await read_key(origin, key)
    return Spend(_nano(found["spend"]), _nano(found["estimated_spend"]))


def _nano(dollars: Any) -> int:
    return int(Decimal(str(dollars)) * 10**9)
