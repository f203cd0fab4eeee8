"""Makes the limiter that the configuration asks for, over the store that the process has."""

from __future__ import annotations

from proxy.config.schema.settings import Settings
from proxy.state.external.external_store import ExternalStore
from proxy.state.limits.limiter import Limiter
from proxy.state.limits.spend_book import SpendBook
from proxy.state.memory import MemoryStore


def create_limiter(settings: Settings, store: MemoryStore | ExternalStore) -> Limiter:
    """Return the limiter of *settings*. Its ledger is on the server of *store*, in its file, or in this process."""
    if isinstance(store, MemoryStore):
        return Limiter(settings)
    book, address = SpendBook(), settings.store.address.redis
    if address is None:
        from proxy.state.sqlite.ledger import SqliteLedger  # only who asks for a file pays for the import

        return Limiter(settings, SqliteLedger(store, book), book)
    from proxy.state.redis.ledger import RedisLedger  # needs the extra `redis`

    return Limiter(settings, RedisLedger(address, store, book), book)
