"""The store of a configuration, as ``turnright check`` shows it: its place, and the facts that are kept in it.

The store is not opened.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.cli.render_lines import render_lines, two_columns
from proxy.config.render import masked_url
from proxy.config.schema.store import Store
from proxy.config.store_address import StoreAddress
from proxy.state.spaces import SPACES

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def store_lines(store: Store) -> Iterator[str]:
    """Yield the place of *store*, and each kind of fact that is kept there, as lines without a newline."""
    return render_lines(("What is kept between requests.", "", two_columns(_rows(store), width=16, indent=4)))


def _rows(store: Store) -> Iterator[tuple[str, str]]:
    address = store.address
    yield "store", f"{masked_url(store.url)}: {_reach(address)}"
    if address.kind == "sqlite":
        yield "size", f"at most {store.max_mib:,} MiB; the least recently used entries are dropped first"
    for space in SPACES:
        yield space.name, f"{space.holds}, for at most {duration_text(space.lifetime_s)}"


def plain_store(store: Store) -> dict[str, Any]:
    """Return the facts of :func:`store_lines` as JSON values."""
    address = store.address
    return {
        "url": masked_url(store.url),
        "kind": address.kind,
        "is_shared": address.is_shared,
        "survives_restart": address.survives_restart,
        "keeps": [
            {"name": space.name, "holds": space.holds, "lifetime_s": space.lifetime_s} for space in SPACES
        ],
    }


def duration_text(seconds: float) -> str:
    """Return *seconds* in the largest unit that gives a whole number: ``14 days``, ``1 hour``, ``30 s``."""
    for unit, name in _UNITS:
        count, rest = divmod(seconds, unit)
        if count and not rest:
            return f"{count:g} {name}{'s' * (count != 1)}"
    return f"{seconds:g} s"


def _reach(address: StoreAddress) -> str:
    """Return the words on who can use the values in *address*, and for how long."""
    if address.is_shared:
        return "replicas share it, and it survives their restarts"
    if address.survives_restart:
        return "it survives a restart, and replicas do not share it: one process uses the file"
    return "a restart loses it, and replicas do not share it"
