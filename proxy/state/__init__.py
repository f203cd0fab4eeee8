"""What outlives a request: signatures in a :class:`Store`, learned windows, and requests that were refused.

Rules: everything in a store is a cache of what a client could bring, too, or can be done without. So a store never
fails a request: one that cannot answer answers with nothing, and counts that. The files:

    memory            the store in this process
    kept_signatures   what is kept of a signed call
    taught            the lessons of one deployment for one tenant
    learn_overflow    what an error about length teaches
    agreement         what counts for all tenants
    learned_windows   the lessons of all deployments
    refused_requests  requests that were refused twice
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from proxy.state.memory import MemoryStore

__all__ = ["MemoryStore", "Store"]


class Store(Protocol):
    """Bytes by key, within a *space* for each use and for one *tenant*: the name of the client's key.

    Tenants do not meet: what one has put is neither found nor replaced by another. Where room is short, what a tenant
    puts takes it from those that hold more.
    """

    async def get(self, space: str, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return what there is under *keys*; what is asked for is kept longest."""

    async def put(self, space: str, values: Mapping[str, bytes], *, tenant: str) -> None:
        """Keep *values*, whatever was under their keys before. They can be asked for once this returns."""
