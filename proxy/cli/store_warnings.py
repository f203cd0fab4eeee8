"""Warnings about ``store``: settings that are valid but probably a mistake. The store is not opened."""

from __future__ import annotations

import ipaddress
import os.path
from collections.abc import Iterator

from proxy.config.redis_address import RedisAddress
from proxy.config.schema.store import Store

_PRIVATE_SUFFIXES = (".local", ".internal", ".localhost", ".svc", ".lan", ".home.arpa", ".test")
"""Ends of names that are not resolved outside a private network. RFC 6761, 6762, 8375; Kubernetes' own is ``.svc``."""

_ONLY_FOR = {
    "max_mib": ("sqlite",),
    "prefix": ("sqlite", "redis"),
    "secret": ("sqlite", "redis"),
}
"""Settings that only some kinds of stores use, with these kinds."""

_NO_EFFECT = {
    "memory": "has no effect with memory://, which stays in this process",
    "redis": "has no effect with a server: set the server's own maxmemory",
}


def find_store_warnings(store: Store) -> Iterator[str]:
    """Yield a warning for each probable mistake in *store*, with its key in the file. No warning holds a secret."""
    address = store.address
    for key, kinds in _ONLY_FOR.items():
        if key in store.model_fields_set and address.kind not in kinds:
            yield f"store.{key}: {_NO_EFFECT[address.kind]}"
    if address.kind == "sqlite" and not os.path.isabs(address.path):
        yield (
            "store.url: the file's path is relative to the working directory of the process: another start may use "
            "another file; write sqlite:////, then the path from the root"
        )
    if address.redis is not None and _sends_password_in_the_open(address.redis):
        yield (
            "store.url: the password and all values cross the network unencrypted, and the host is not in a private "
            "network by its name: use rediss://"
        )


def _sends_password_in_the_open(address: RedisAddress) -> bool:
    exposed = any(not _is_private(host) for host, _ in address.hosts)
    return address.password is not None and not address.uses_tls and exposed


def _is_private(host: str) -> bool:
    """Return True for a private or loopback address, a name without a dot, and names of private networks alone."""
    name = host.lower().removesuffix(".")
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_PRIVATE_SUFFIXES)
    return address.is_private or address.is_loopback
