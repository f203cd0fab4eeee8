"""Says for the operator what is kept of responses and conversations, and for how long."""

from __future__ import annotations

from proxy.config.durations import duration_text
from proxy.config.schema.sessions import Sessions as SessionSettings
from proxy.config.schema.store import Store as StoreSettings
from proxy.state.sessions.create_sessions import read_limits
from proxy.state.spaces import SESSIONS


def describe_sessions(settings: SessionSettings, store_settings: StoreSettings) -> str:
    """Return the words on what is kept, for how long after its last use, and within which bounds."""
    if not settings.enabled:
        return "no responses are stored: `sessions.enabled` is false"
    bounds = read_limits(settings, store_settings).bounds
    mib, key_mib = bounds.all_bytes / 2**20, bounds.account_bytes / 2**20
    most = settings.turns + settings.turns // 2
    turns = f"; the newest {settings.turns} to {most} turns are sent" if settings.turns else ""
    return (
        f"{SESSIONS.holds}, for {duration_text(settings.retention)} after their last use; "
        f"at most {mib:,g} MiB, and {key_mib:,g} MiB of one key{turns}"
    )
