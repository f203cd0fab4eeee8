"""Makes the store that the configuration asks for. Opens nothing yet."""

from __future__ import annotations

from typing import Protocol

from proxy.config.schema.store import Store as StoreSettings
from proxy.state.external.backend import Backend
from proxy.state.external.external_store import ExternalStore
from proxy.state.external.guarded_backend import StoreEvents
from proxy.state.external.store_secret import derive_secret
from proxy.state.memory import MemoryStore


class StoreListener(StoreEvents, Protocol):
    """The listener to a store's failures, and to files that could not be used."""

    def set_aside(self, file: str, reason: str) -> None:
        """Record that a damaged or foreign file was renamed to *file*."""


def create_store(settings: StoreSettings, listener: StoreListener) -> MemoryStore | ExternalStore:
    """Return the store of *settings*: the process's memory, or a file or a server behind that memory."""
    memory = MemoryStore(settings.memory_mib * 2**20)
    backend = _create_backend(settings, listener)
    if backend is None:
        return memory
    secret = None if settings.secret is None else derive_secret(settings.secret.get_secret_value())
    return ExternalStore(backend, memory, settings.prefix, secret, listener)


def _create_backend(settings: StoreSettings, listener: StoreListener) -> Backend | None:
    address = settings.address
    if address.kind == "sqlite":
        from proxy.state.sqlite.backend import SqliteBackend  # only who asks for a file pays for the import

        return SqliteBackend(address.path, settings.max_mib * 2**20, listener.set_aside)
    if address.redis is not None:
        from proxy.state.redis.backend import RedisBackend  # needs the extra `redis`

        return RedisBackend(address.redis)
    return None
