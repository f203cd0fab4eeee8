"""What outlives a request, behind one protocol: thought signatures now, more of the kind later.

Rules: everything in a store is a cache of what a client could bring, too, or can be done without. So a store never
fails a request: one that cannot answer answers with nothing, and counts that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from proxy.store.memory import MemoryStore

__all__ = ["MemoryStore", "Store"]


class Store(Protocol):
    """Bytes by key, within a *space* for each use."""

    async def get(self, space: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Return what there is under *keys*; what is asked for is kept longest."""

    async def put(self, space: str, values: Mapping[str, bytes]) -> None:
        """Keep *values*, whatever was under their keys before. They can be asked for once this returns."""
