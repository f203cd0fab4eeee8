"""A bounded map whose entries belong to tenants. When it is full, the tenant with most entries loses its oldest one.

In a plain least-recently-used map one tenant can evict the entries of all others, by asking for many different keys.
Here an eviction always hits the tenant that holds most.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, NamedTuple, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Entry(NamedTuple, Generic[KeyT, ValueT]):
    """One entry of the map."""

    tenant: str
    key: KeyT
    value: ValueT


class TenantLru(Generic[KeyT, ValueT]):
    """A map from a tenant and a key to a value, with at most *maximum* entries."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._owned: dict[str, OrderedDict[KeyT, ValueT]] = {}
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def find(self, tenant: str, key: KeyT) -> ValueT | None:
        """Return the value, or None. The order of use does not change."""
        owned = self._owned.get(tenant)
        return None if owned is None else owned.get(key)

    def use(self, tenant: str, key: KeyT) -> ValueT | None:
        """Return the value, or None, and make its entry the tenant's newest."""
        owned = self._owned.get(tenant)
        if owned is None or key not in owned:
            return None
        owned.move_to_end(key)
        return owned[key]

    def put(self, tenant: str, key: KeyT, value: ValueT) -> Entry[KeyT, ValueT] | None:
        """Store a value as the tenant's newest. Returns the entry that was evicted for it, or None."""
        owned = self._owned.get(tenant)
        if owned is None:
            owned = self._owned[tenant] = OrderedDict()
        elif key in owned:
            owned[key] = value
            owned.move_to_end(key)
            return None
        owned[key] = value
        self._size += 1
        return self._remove_oldest() if self._size > self._maximum else None

    def remove(self, tenant: str, key: KeyT) -> None:
        """Remove an entry, which must exist."""
        owned = self._owned[tenant]
        del owned[key]
        self._size -= 1
        if not owned:
            del self._owned[tenant]

    def oldest(self, tenant: str) -> tuple[KeyT, ValueT] | None:
        """Return the tenant's oldest key and value, or None if it has no entry."""
        owned = self._owned.get(tenant)
        return None if owned is None else next(iter(owned.items()))

    def entries(self) -> Iterator[Entry[KeyT, ValueT]]:
        """Yield all entries, tenant by tenant, the oldest of each tenant first."""
        for tenant, owned in self._owned.items():
            for key, value in owned.items():
                yield Entry(tenant, key, value)

    def _remove_oldest(self) -> Entry[KeyT, ValueT]:
        tenant = max(self._owned, key=lambda name: len(self._owned[name]))
        key, value = next(iter(self._owned[tenant].items()))
        self.remove(tenant, key)
        return Entry(tenant, key, value)
