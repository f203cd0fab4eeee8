"""Names the clients that share scarce resources: places in queues, worker threads and bytes of memory.

Two keys behind one ingress are two clients. Without keys only the address is known. An IPv6 host usually owns a whole
/64 network (RFC 6177), so all addresses of one network are the same client.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network


def client_of_key(name: str) -> str:
    """Return the text that identifies the client with the key called *name*. The master key's name is empty."""
    return f"key:{name}"


def client_at(address: str | None) -> str:
    """Return the text that identifies the client at *address*, an IP address as text.

    *address* is None if the transport has no address.
    """
    if address is None or ":" not in address:
        return f"address:{address or ''}"
    return _client_of_v6(address)


@lru_cache(maxsize=1024)
def _client_of_v6(address: str) -> str:
    """Return the client of an IPv6 address. A mapped IPv4 address counts as the IPv4 address itself."""
    try:
        parsed = IPv6Address(address.partition("%")[0])
    except ValueError:
        return f"address:{address}"
    if parsed.ipv4_mapped is not None:
        return f"address:{parsed.ipv4_mapped}"
    return f"address:{IPv6Network((int(parsed) >> 64 << 64, 64))}"
