"""Sessions in the process's memory, apart from the memory of other facts. They are lost with the process."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic
from typing import NamedTuple

from proxy.state.external.backend import ENTRY_BYTES
from proxy.state.sessions.record_store import Change, Limits

_CLEARED_AT_ONCE = 500


class _Value(NamedTuple):
    value: bytes
    until: float
    """The moment at which the value expires, by the clock."""


class _Account:
    """The values of one client, the least recently used first. So the first ones also expire first."""

    __slots__ = ("size_bytes", "values")

    def __init__(self) -> None:
        self.values: OrderedDict[str, _Value] = OrderedDict()
        self.size_bytes = 0

    def put(self, key: str, value: _Value) -> None:
        self.drop(key)
        self.values[key] = value
        self.size_bytes += len(value.value) + ENTRY_BYTES

    def drop(self, key: str) -> None:
        if (dropped := self.values.pop(key, None)) is not None:
            self.size_bytes -= len(dropped.value) + ENTRY_BYTES

    def drop_oldest(self) -> None:
        self.drop(next(iter(self.values)))


class MemoryRecords:
    """A :class:`proxy.state.sessions.record_store.RecordStore` in memory. *clock* returns seconds."""

    survives_restart = False

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self.limits = limits
        self.corrupt = 0
        """The number of values that could not be used. In memory that is a defect."""

        self._clock = clock
        self._accounts: dict[str, _Account] = {}

    @property
    def size_bytes(self) -> int:
        """The bytes of all values, with those of their keys."""
        return sum(account.size_bytes for account in self._accounts.values())

    def held_by(self, tenant: str) -> int:
        """Return the bytes of the values of *tenant*."""
        account = self._accounts.get(tenant)
        return 0 if account is None else account.size_bytes

    async def get(self, tenant: str, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Return values as :meth:`proxy.state.sessions.record_store.RecordStore.get` does."""
        account = self._sweep(tenant)
        if account is None:
            return {}
        values = account.values
        return {key: values[key].value for key in keys if key in values}

    async def change(self, tenant: str, change: Change) -> bool:
        """Change values as :meth:`proxy.state.sessions.record_store.RecordStore.change` does."""
        account = self._sweep(tenant)
        if change.expected is not None:
            key, expected = change.expected
            stands = None if account is None else account.values.get(key)
            if (None if stands is None else stands.value) != expected:
                return False
        if account is None:
            account = self._accounts[tenant] = _Account()
        until = self._clock() + self.limits.retention_s
        for key, value in change.values.items():
            # a copy, since orjson's bytes keep the room that they were written in
            account.put(key, _Value(bytes(memoryview(value)), until))
        for key in change.removed:
            account.drop(key)
        self._make_fit(tenant)
        return True

    async def renew(self, tenant: str, keys: Sequence[str]) -> None:
        """Renew values as :meth:`proxy.state.sessions.record_store.RecordStore.renew` does."""
        account = self._sweep(tenant)
        if account is None:
            return
        until = self._clock() + self.limits.retention_s
        for key in keys:
            if key in account.values:
                account.values[key] = account.values[key]._replace(until=until)
                account.values.move_to_end(key)

    async def clear(self, tenant: str) -> int:
        """Delete values as :meth:`proxy.state.sessions.record_store.RecordStore.clear` does."""
        account = self._accounts.get(tenant)
        gone = 0
        while account is not None and account.values and gone < _CLEARED_AT_ONCE:
            account.drop_oldest()
            gone += 1
        self._forget_empty(tenant)
        return gone

    def count_corrupt(self) -> None:
        """Count a value that cannot be used."""
        self.corrupt += 1

    def _sweep(self, tenant: str) -> _Account | None:
        """Drop the expired values of *tenant*. Return its account, or None where it has no values."""
        account = self._accounts.get(tenant)
        if account is None:
            return None
        now = self._clock()
        while account.values and next(iter(account.values.values())).until <= now:
            account.drop_oldest()
        self._forget_empty(tenant)
        return self._accounts.get(tenant)

    def _make_fit(self, tenant: str) -> None:
        account, bounds = self._accounts[tenant], self.limits.bounds
        while account.size_bytes > bounds.account_bytes:
            account.drop_oldest()
        while self.size_bytes > bounds.all_bytes:
            max(self._accounts.values(), key=lambda each: each.size_bytes).drop_oldest()
        for each in list(self._accounts):
            self._forget_empty(each)

    def _forget_empty(self, tenant: str) -> None:
        account = self._accounts.get(tenant)
        if account is not None and not account.values:
            del self._accounts[tenant]
