"""Counts the uses of stored values, so that those in use do not expire. Not each use is a write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from proxy.core.tenant_lru import TenantLru
from proxy.state.sessions.record_store import RecordStore
from proxy.state.sessions.session_errors import SessionsUnavailable

RENEW_AFTER_S = 600.0
"""Seconds after which a use of the same value is counted again."""

_MOST = 2**15
"""The most values whose last counted use is remembered: some 10 MB."""


class Renewals:
    """The uses of values in *store*. *clock* returns seconds."""

    def __init__(self, store: RecordStore, clock: Callable[[], float], renew_after_s: float) -> None:
        self._store = store
        self._clock = clock
        self._renew_after_s = renew_after_s
        self._renewed: TenantLru[str, float] = TenantLru(_MOST)

    async def renew(self, tenant: str, keys: Sequence[str]) -> None:
        """Count a use of the values under *keys*, but for those whose use was counted a moment ago.

        A store that fails counts nothing. The values were read, so the request goes on.
        """
        now = self._clock()
        due = []
        for key in dict.fromkeys(keys):
            renewed = self._renewed.find(tenant, key)
            if renewed is None or now >= renewed + self._renew_after_s:
                due.append(key)
        if not due:
            return
        try:
            await self._store.renew(tenant, due)
        except SessionsUnavailable:
            return
        for key in due:
            self._renewed.put(tenant, key, now)
