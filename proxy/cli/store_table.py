"""The store of a configuration, as ``turnright check`` shows it: its place, and the facts that are kept in it.

The store is not opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.cli.render_lines import render_lines, two_columns
from proxy.config.durations import duration_text
from proxy.config.render import masked_url
from proxy.config.schema.sessions import Sessions
from proxy.config.schema.store import Store
from proxy.config.store_address import StoreAddress
from proxy.state.sessions.describe_sessions import describe_sessions
from proxy.state.spaces import SESSIONS, SPACES


def store_lines(store: Store, sessions: Sessions) -> Iterator[str]:
    """Yield the place of *store*, and each kind of fact that is kept there, as lines without a newline."""
    rows = two_columns(_rows(store, sessions), width=16, indent=4)
    return render_lines(("What is kept between requests.", "", rows))


def _rows(store: Store, sessions: Sessions) -> Iterator[tuple[str, str]]:
    address = store.address
    yield "store", f"{masked_url(store.url)}: {_reach(address)}"
    if address.kind == "sqlite":
        yield "size", f"at most {store.max_mib:,} MiB; the least recently used entries are dropped first"
    for space in SPACES:
        if space is SESSIONS:
            yield space.name, describe_sessions(sessions, store)
        else:
            yield space.name, f"{space.holds}, for at most {duration_text(space.lifetime_s)}"


def plain_store(store: Store, sessions: Sessions) -> dict[str, Any]:
    """Return the facts of :func:`store_lines` as JSON values."""
    address = store.address
    return {
        "url": masked_url(store.url),
        "kind": address.kind,
        "is_shared": address.is_shared,
        "survives_restart": address.survives_restart,
        "keeps": [
            {
                "name": space.name,
                "holds": space.holds,
                "lifetime_s": sessions.retention if space is SESSIONS else space.lifetime_s,
            }
            for space in SPACES
            if space is not SESSIONS or sessions.enabled
        ],
    }


def _reach(address: StoreAddress) -> str:
    """Return the words on who can use the values in *address*, and for how long."""
    if address.is_shared:
        return "replicas share it, and it survives their restarts"
    if address.survives_restart:
        return "it survives a restart, and replicas do not share it: one process uses the file"
    return "a restart loses it, and replicas do not share it"
