"""Tests of the sessions that the configuration asks for."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.state.create_store import create_store
from proxy.state.external.backend import Bounds
from proxy.state.sessions.create_sessions import create_sessions, follow_settings, read_limits
from proxy.state.sessions.external_records import ExternalRecords
from proxy.state.sessions.memory_records import MemoryRecords
from tests.proxy.config.samples import settings_of
from tests.proxy.state.test_create_store import Listener
from tests.support.session_stores import MIB


@pytest.mark.parametrize(
    ("url", "kind", "survives"),
    [("memory://", MemoryRecords, False), ("sqlite:////tmp/f", ExternalRecords, True)],
)
def test_sessions_are_kept_where_the_store_is(url: str, kind: type, survives: bool) -> None:
    """In memory they have room of their own."""
    settings = settings_of(store={"url": url})
    store = create_store(settings.store, Listener())
    sessions = create_sessions(settings.sessions, settings.store, store, 32)

    assert sessions is not None
    assert isinstance(sessions.store, kind)
    assert sessions.store.survives_restart is survives
    assert sessions.max_bytes == 32 * MIB


def test_nothing_is_stored_where_sessions_are_off() -> None:
    """There are no sessions then."""
    settings = settings_of(sessions={"enabled": False})
    store = create_store(settings.store, Listener())

    assert create_sessions(settings.sessions, settings.store, store, 32) is None


@pytest.mark.parametrize(
    ("sessions", "store", "mib"),
    [
        ({}, {}, (64, 256)),
        ({"max_mib": 10}, {}, (10, 10)),
        ({}, {"url": "sqlite:////tmp/f"}, (64, 256)),
        ({}, {"url": "sqlite:////tmp/f", "max_mib": 100}, (50, 50)),
        ({}, {"url": "redis://h"}, (64, 256)),
    ],
)
def test_bounds_never_drive_out_other_facts(
    sessions: dict[str, Any], store: dict[str, Any], mib: tuple[int, int]
) -> None:
    """A file drops its least recently used entries when it is full, so sessions get half of it."""
    settings = settings_of(sessions=sessions, store=store)

    assert read_limits(settings.sessions, settings.store).bounds == Bounds(mib[0] * MIB, mib[1] * MIB)


def test_reload_changes_the_limits() -> None:
    """Stored responses stay."""
    settings = settings_of()
    sessions = create_sessions(
        settings.sessions, settings.store, create_store(settings.store, Listener()), 32
    )
    assert sessions is not None
    new = settings_of(sessions={"retention": "1h", "max_mib": 20, "max_mib_per_key": 5})
    follow_settings(sessions, new.sessions, new.store, 8)

    assert sessions.store.limits == (3_600.0, Bounds(5 * MIB, 20 * MIB))
    assert sessions.max_bytes == 8 * MIB
