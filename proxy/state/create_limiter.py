"""Makes the limiter that the configuration asks for, over the store that the process has."""

from __future__ import annotations

from proxy.config.schema.settings import Settings
from proxy.state.external.external_store import ExternalStore
from proxy.state.limits.limiter import Limiter
from proxy.state.limits.spend_book import SpendBook
from proxy.state.memory import MemoryStore


def create_limiter(settings: Settings, store: MemoryStore | ExternalStore) -> Limiter:
    """Return the limiter of *settings*. Its ledger is on the server of *store*, in its file, or in this process."""
    address = settings.store.address.redis
    if isinstance(store, MemoryStore) or address is None:
        return Limiter(settings)
    from proxy.state.redis.ledger import RedisLedger  # needs the extra `redis`

    book = SpendBook()
    return Limiter(settings, RedisLedger(address, store, book), book)
