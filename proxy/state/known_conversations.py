"""Remembers which stored summaries long conversations have, for the time when the store does not answer."""

from __future__ import annotations

from proxy.core.tenant_lru import TenantLru
from proxy.state.summaries import IndexEntry

_MOST = 1_024
"""The most conversations that are remembered: some 10 MB at most."""

_RENEW_AFTER_S = 86_400.0
"""Seconds after which a summary that is still used is written to the store again, so that it does not expire."""


class KnownConversations:
    """The summary indexes of conversations, by tenant and by *root*, the digest of a conversation's first messages."""

    def __init__(self) -> None:
        self._entries: TenantLru[str, tuple[IndexEntry, ...]] = TenantLru(_MOST)
        self._renewed: TenantLru[str, float] = TenantLru(_MOST)

    def note_entries(self, tenant: str, root: str, entries: tuple[IndexEntry, ...]) -> None:
        """Record *entries*, the index that the store holds for a conversation."""
        self._entries.put(tenant, root, entries)

    def entries(self, tenant: str, root: str) -> tuple[IndexEntry, ...]:
        """Return the conversation's index as this process has last seen it, or no entries."""
        return self._entries.find(tenant, root) or ()

    def should_renew(self, tenant: str, key: str, now: float) -> bool:
        """Return True, and record a renewal, where *key*'s summary was first used or last renewed a day ago.

        *now* is in seconds of a monotonic clock.
        """
        renewed = self._renewed.find(tenant, key)
        if renewed is not None and now < renewed + _RENEW_AFTER_S:
            return False
        self._renewed.put(tenant, key, now)
        return True
