"""The state that outlives a request: signatures in a :class:`Store`, learned windows, and refused requests.

A store is a cache. A client may send the values again, or a request can do without them. So a store never fails a
request. A store that fails returns nothing, and counts the failure. A lesson is a fact about a deployment that the
proxy learned from the deployment's answers and errors. The files:

    memory            the store in this process
    kept_signatures   the stored form of a signed call
    lessons           the lessons of one deployment for one tenant
    learn_overflow    reads the lesson of an error about length
    agreement         the lessons that count for all tenants
    learned_windows   the lessons of all deployments
    refused_requests  requests that were refused twice
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from proxy.state.memory import MemoryStore

__all__ = ["MemoryStore", "Store"]


class Store(Protocol):
    """Stores bytes by key, separately for each *space* (a use) and each *tenant* (the name of the client's key).

    A tenant neither finds nor replaces another's values. A full store drops values of the tenant that holds the most
    bytes.
    """

    async def get(self, space: str, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return the values under *keys*. Of a tenant's values, the least recently used are dropped first."""

    async def put(self, space: str, values: Mapping[str, bytes], *, tenant: str) -> None:
        """Store *values*, replacing the old values under the same keys. The values can be read once this returns."""
