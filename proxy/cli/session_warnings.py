"""Warnings about ``sessions``: settings that are valid but probably a mistake."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.config.schema.sessions import Sessions
from proxy.config.schema.store import Store


def find_session_warnings(sessions: Sessions, store: Store) -> Iterator[str]:
    """Yield a warning for each probable mistake in *sessions*, with its key in the file."""
    if not sessions.enabled:
        for key in sorted(sessions.model_fields_set - {"enabled"}):
            yield f"sessions.{key}: has no effect while sessions.enabled is false"
        return
    if sessions.max_mib_per_key > sessions.max_mib:
        yield (
            f"sessions.max_mib_per_key: is above sessions.max_mib, so one key may take all {sessions.max_mib:,} MiB"
        )
    is_chosen = "max_mib" in sessions.model_fields_set
    if is_chosen and store.address.kind == "sqlite" and sessions.max_mib * 2 > store.max_mib:
        yield (
            f"sessions.max_mib: stored responses take half of store.max_mib at most, {store.max_mib / 2:,g} MiB, so "
            "that they do not drive out other facts"
        )
