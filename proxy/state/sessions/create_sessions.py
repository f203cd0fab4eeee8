"""Makes the sessions that the configuration asks for, in the store that the process has."""

from __future__ import annotations

from proxy.config.schema.sessions import Sessions as SessionSettings
from proxy.config.schema.store import Store as StoreSettings
from proxy.state.external.backend import Bounds
from proxy.state.external.external_store import ExternalStore
from proxy.state.memory import MemoryStore
from proxy.state.sessions.external_records import ExternalRecords
from proxy.state.sessions.memory_records import MemoryRecords
from proxy.state.sessions.record_store import Limits
from proxy.state.sessions.sessions import Sessions


def create_sessions(
    settings: SessionSettings,
    store_settings: StoreSettings,
    store: MemoryStore | ExternalStore,
    max_body_mib: int,
) -> Sessions | None:
    """Return the sessions of *settings* in *store*, or None where nothing is to be stored.

    A history may have as many bytes as a body. In memory, sessions have room of their own.
    """
    if not settings.enabled:
        return None
    limits = read_limits(settings, store_settings)
    records = ExternalRecords(store, limits) if isinstance(store, ExternalStore) else MemoryRecords(limits)
    return Sessions(records, max_body_mib * 2**20)


def follow_settings(
    sessions: Sessions, settings: SessionSettings, store_settings: StoreSettings, max_body_mib: int
) -> None:
    """Let *sessions* follow new *settings* after a reload. What is stored stays, within the new bounds."""
    sessions.store.limits = read_limits(settings, store_settings)
    sessions.max_bytes = max_body_mib * 2**20


def read_limits(settings: SessionSettings, store_settings: StoreSettings) -> Limits:
    """Return the retention and the bounds in bytes of *settings*.

    In an SQLite file sessions get half of ``store.max_mib`` at most. A full file drops its least recently used entries,
    whatever they are, and signatures are rarely written anew.
    """
    all_bytes = settings.max_mib * 2**20
    if store_settings.address.kind == "sqlite":
        all_bytes = min(all_bytes, store_settings.max_mib * 2**20 // 2)
    return Limits(settings.retention, Bounds(min(settings.max_mib_per_key * 2**20, all_bytes), all_bytes))
