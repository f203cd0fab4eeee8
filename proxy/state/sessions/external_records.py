"""Sessions in a store outside this process. A failure of the store is an error here, and never a missing value."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from proxy.state.external.backend import AccountChange, Backend, Entry, Expected
from proxy.state.external.external_store import ExternalStore
from proxy.state.external.sealed_entries import EntrySealer
from proxy.state.sessions.record_store import PART_BYTES, Change, Limits
from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.spaces import SESSIONS

T = TypeVar("T")

_WAIT_S = 1.0
"""The most seconds that a request waits for one call. Other facts of the store are given up after 50 ms.

A request cannot do without its history, so waiting is better than an error.
"""

_RENEWED_AT_ONCE = 500


class ExternalRecords:
    """A :class:`proxy.state.sessions.record_store.RecordStore` in *store*, which has to run."""

    survives_restart = True

    def __init__(self, store: ExternalStore, limits: Limits) -> None:
        self.limits = limits
        self.count_corrupt = store.count_corrupt
        self._store = store

    async def get(self, tenant: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.sessions.record_store.RecordStore.get` does."""
        asked = list(keys)
        if not asked:
            return {}

        async def get(backend: Backend, sealer: EntrySealer) -> dict[str, bytes]:
            account = sealer.account(tenant)
            names = {key: sealer.account_name(account, SESSIONS, key) for key in asked}
            sealed = await backend.get(list(names.values()))
            return sealer.open_all(names, sealed, self.count_corrupt, PART_BYTES)

        return await self._ask(get)

    async def change(self, tenant: str, change: Change) -> bool:
        """Change values as :meth:`proxy.state.sessions.record_store.RecordStore.change` does."""
        limits = self.limits

        async def make(backend: Backend, sealer: EntrySealer) -> bool:
            account = sealer.account(tenant)

            def name_of(key: str) -> str:
                return sealer.account_name(account, SESSIONS, key)

            expected = None
            if change.expected is not None:
                key, value = change.expected
                name = name_of(key)
                expected = Expected(name, None if value is None else sealer.seal(name, value))
            entries = []
            for key, value in change.values.items():
                name = name_of(key)
                entries.append(Entry(name, sealer.seal(name, value), limits.retention_s))
            removed = [name_of(key) for key in change.removed]
            return await backend.change_account(
                AccountChange(account, limits.bounds, entries, removed, expected)
            )

        return await self._ask(make)

    async def renew(self, tenant: str, keys: Sequence[str]) -> None:
        """Renew values as :meth:`proxy.state.sessions.record_store.RecordStore.renew` does."""
        retention_s = self.limits.retention_s
        for start in range(0, len(keys), _RENEWED_AT_ONCE):
            part = keys[start : start + _RENEWED_AT_ONCE]

            async def renew(backend: Backend, sealer: EntrySealer, part: Sequence[str] = part) -> bool:
                account = sealer.account(tenant)
                names = [sealer.account_name(account, SESSIONS, key) for key in part]
                await backend.renew(account, names, retention_s)
                return True

            await self._ask(renew)

    async def clear(self, tenant: str) -> int:
        """Delete values as :meth:`proxy.state.sessions.record_store.RecordStore.clear` does."""
        return await self._ask(lambda backend, sealer: backend.clear_account(sealer.account(tenant)))

    async def _ask(self, operation: Callable[[Backend, EntrySealer], Awaitable[T]]) -> T:
        result = await self._store.ask(operation, _WAIT_S)
        if result is None:
            raise SessionsUnavailable
        return result
