"""The state that outlives a request: signatures in a :class:`Store`, learned windows, cooldowns and refused requests.

A store is a cache. A client may send the values again, or a request can do without them. So a store never fails a
request. A store that fails returns nothing, and counts the failure. A lesson is a fact about a deployment that the
proxy learned from the deployment's answers and errors. The files:

    spaces               the kinds of facts that a store keeps
    memory               the store in this process
    external_store       the store outside this process, behind its memory
    backend              the interface of a server or a file that keeps bytes
    redis_store          the backend on a Redis or Valkey server
    redis_connections    the connections to that server, which Sentinels may name
    redis_connection     one of these connections
    guarded_backend      limits, a circuit and a ping around a backend
    store_circuit        the circuit's decisions
    reply_limit          a time limit that a busy event loop does not reach by itself
    write_behind         writes in batches, behind the requests
    write_queue          the writes that wait
    sealed_entries       the names and the values of entries in a backend
    store_secret         the secret of a store, on which its processes agree
    sqlite_file          the files of an SQLite store: created, locked, set aside
    sqlite_schema        the table and the settings of an SQLite store
    sqlite_entries       the entries in the table: read, written, swept, evicted
    sqlite_database      the open database, and its recovery from failures
    sqlite_thread        the thread that owns the database
    sqlite_store         the backend over a file
    deployment_identity  the name of a deployment that all processes agree on
    kept_signatures      the stored form of a signed call
    lessons              the lessons of one deployment for one tenant
    learn_overflow       reads the lesson of an error about length
    agreement            the lessons that count for all tenants
    learned_windows      the lessons of all deployments
    refused_requests     requests that were refused twice
    cooldown_entry       the stored form of a cooldown
    shared_cooldowns     shares cooldowns and probes with other replicas
    replica_sync         calls what exchanges facts with other replicas
    lesson_values        the stored forms of a factor and of a window
    shared_factor        the token factor of one deployment and tenant in the store
    shared_window        one learned window in the store
    coded_window         the shared window that a provider's code makes count for all tenants
    lesson_pair          the shared lessons of one deployment and tenant
    shared_lessons       shares lessons with other processes
    shared_refusals      shares refused requests with other processes
    sharing              all exchanges through one store
    create_store         the store that the configuration asks for
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from proxy.state.memory import MemoryStore
from proxy.state.spaces import Space

__all__ = ["MemoryStore", "Space", "Store"]


class Store(Protocol):
    """Stores bytes by key, separately for each *space* (a kind of fact) and each *tenant*. No method raises.

    The tenant is the name of the client's key, or "" for facts that belong to no client. A tenant neither finds nor
    replaces another's values. A full store drops values of the tenant that holds the most bytes.
    """

    @property
    def is_shared(self) -> bool:
        """True where other processes may read and write the same values."""

    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return the values under *keys*, without those that are missing, expired or unreadable.

        Of a tenant's values, the least recently used are dropped first.
        """

    async def put(
        self,
        space: Space,
        values: Mapping[str, bytes],
        *,
        tenant: str,
        lifetime_s: float | None = None,
        absent_only: bool = False,
    ) -> Mapping[str, bytes]:
        """Store *values*, replacing the old values under the same keys. Return the values that stand now.

        This process can read the values at once. Other processes can usually read them once this returns. A store that
        is slow finishes the write later. *lifetime_s* replaces the space's lifetime.

        With *absent_only*, values that stand already are kept. A key is missing from the result if the store could not
        say which value stands.
        """

    async def swap(
        self,
        space: Space,
        key: str,
        old: bytes,
        new: bytes | None,
        *,
        tenant: str,
        lifetime_s: float | None = None,
    ) -> bool:
        """Replace the value under *key* by *new* if *old* stands there. None for *new* deletes the value.

        Return True where the value was replaced. False means that another value stands, or that the store failed.
        """

    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        """Delete the values under *keys*."""
