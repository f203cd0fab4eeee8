"""The indexes of the long conversations that this process has seen, for the time when the store does not answer."""

from __future__ import annotations

from proxy.core.tenant_lru import TenantLru
from proxy.state.summaries import IndexEntry

_MOST = 1_024
"""The most conversations that are remembered: some 10 MB at most."""

_RENEW_AFTER_S = 86_400.0
"""Seconds after which the entries of a used summary are written again, so that the store keeps them."""


class KnownConversations:
    """Facts of conversations by tenant and root, the digest of a conversation's first messages."""

    def __init__(self) -> None:
        self._entries: TenantLru[str, tuple[IndexEntry, ...]] = TenantLru(_MOST)
        self._renewed: TenantLru[str, float] = TenantLru(_MOST)

    def note_entries(self, tenant: str, root: str, entries: tuple[IndexEntry, ...]) -> None:
        """Record the index that the store holds."""
        self._entries.put(tenant, root, entries)

    def entries(self, tenant: str, root: str) -> tuple[IndexEntry, ...]:
        """Return the index as it was last seen."""
        return self._entries.find(tenant, root) or ()

    def should_renew(self, tenant: str, key: str, now: float) -> bool:
        """Return True where the summary under *key* is used and was not renewed for a day. Counts as a renewal.

        *now* is in seconds of a monotonic clock.
        """
        renewed = self._renewed.find(tenant, key)
        if renewed is not None and now < renewed + _RENEW_AFTER_S:
            return False
        self._renewed.put(tenant, key, now)
        return renewed is not None
