"""The long conversations that this process has seen: the length of the newest request, and the index of summaries.

The index also stands in the store. This copy is used while the store does not answer.
"""

from __future__ import annotations

from typing import NamedTuple

from proxy.core.tenant_lru import TenantLru
from proxy.state.summaries import IndexEntry

_MOST = 4_096
"""The most conversations that are remembered: some 8 MB at most."""

_RENEW_AFTER_S = 86_400.0
"""Seconds after which the entries of a used summary are written again, so that the store keeps them."""


class _Known(NamedTuple):
    newest: int = 0
    entries: tuple[IndexEntry, ...] = ()


_UNKNOWN = _Known()


class KnownConversations:
    """Facts of conversations by tenant and root, the digest of a conversation's first messages."""

    def __init__(self) -> None:
        self._known: TenantLru[str, _Known] = TenantLru(_MOST)
        self._renewed: TenantLru[str, float] = TenantLru(_MOST)

    def note_request(self, tenant: str, root: str, messages: int) -> None:
        """Record a request with this number of *messages*."""
        known = self._known.use(tenant, root) or _UNKNOWN
        if messages > known.newest:
            self._known.put(tenant, root, known._replace(newest=messages))

    def newest(self, tenant: str, root: str) -> int:
        """Return the number of messages of the longest request seen, or 0."""
        return (self._known.find(tenant, root) or _UNKNOWN).newest

    def note_entries(self, tenant: str, root: str, entries: tuple[IndexEntry, ...]) -> None:
        """Record the index that the store holds."""
        known = self._known.use(tenant, root) or _UNKNOWN
        if entries != known.entries:
            self._known.put(tenant, root, known._replace(entries=entries))

    def entries(self, tenant: str, root: str) -> tuple[IndexEntry, ...]:
        """Return the index as it was last seen."""
        return (self._known.find(tenant, root) or _UNKNOWN).entries

    def should_renew(self, tenant: str, key: str, now: float) -> bool:
        """Return True where the summary under *key* is used and was not renewed for a day. Counts as a renewal.

        *now* is in seconds of a monotonic clock.
        """
        renewed = self._renewed.find(tenant, key)
        if renewed is not None and now < renewed + _RENEW_AFTER_S:
            return False
        self._renewed.put(tenant, key, now)
        return renewed is not None
