"""The state that outlives a request: signatures in a :class:`Store`, learned windows and repairs, cooldowns, refusals.

A store is a cache. A client may send the values again, or a request can do without them. So a store never fails a
request. A store that fails returns nothing, and counts the failure. Sessions are the exception: see their package. A
lesson is a fact about a deployment that the proxy learned from the deployment's answers and errors. The files:

    spaces               the kinds of facts that a store keeps
    memory               the store in this process
    external             the store outside this process, behind its memory
    redis, sqlite        the backends of such a store
    create_limiter       the limiter that the configuration asks for
    create_store         the store that the configuration asks for
    sharing              the exchange of facts with other processes
    deployment_identity  the name of a deployment that all processes agree on
    kept_signatures      the stored form of a signed call
    kept_thoughts        the stored form of an answer's thoughts
    lessons              the lessons of one deployment for one tenant
    learn_overflow       reads the lesson of an error about length
    agreement            the lessons that count for all tenants
    learned_windows      the lessons of all deployments
    output_lengths       the usual lengths of answers, by key and model
    repairs              the evidence for learned repairs
    summaries            the stored form of summaries, and of a conversation's index
    limits               limits and spend of client keys
    sessions             stored responses and conversations, which are no cache
    known_conversations  the long conversations that this process has seen
    refused_requests     requests that were refused twice
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
    replaces another's values. A full memory drops values of the tenant that holds the most bytes. A file or a server
    has its own rule.
    """

    @property
    def is_in_process(self) -> bool:
        """True for this process's memory, which is lost with the process and answers at once."""

    @property
    def is_shared(self) -> bool:
        """True where other processes may read and write the same values."""

    async def get(self, space: Space, keys: Iterable[str], *, tenant: str) -> Mapping[str, bytes]:
        """Return the values under *keys*, without those that are missing, expired or unreadable.

        Reading a value counts as a use: a store in memory or in a file drops the least recently used values first.
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

        Return True where *old* was replaced. False means that another value or none stands, or that the store failed. A
        deletion may also return True where nothing stood.
        """

    async def delete(self, space: Space, keys: Iterable[str], *, tenant: str) -> None:
        """Delete the values under *keys*."""
