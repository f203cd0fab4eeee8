"""Tells public IP addresses from others.

``is_global`` alone is not enough. It counts multicast as global. An IPv6 address may also embed an IPv4 address that a
gateway forwards to.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_TUNNELS = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""The networks of Teredo and 6to4.

Their addresses embed an IPv4 address that a relay might forward to. No images are served from these networks.
"""

_NOT_THE_INTERNET = (
    IPv4Network("168.63.129.16/32"),  # Azure's host
    IPv4Network("192.0.0.0/24"),  # the IETF's, and some clouds' metadata
    IPv4Network("192.88.99.0/24"),  # relays of 6to4
    IPv4Network("192.31.196.0/24"),  # AS112, which a network may run for itself (RFC 7535)
    IPv4Network("192.52.193.0/24"),  # AMT, relays of multicast (RFC 7450)
    IPv4Network("192.175.48.0/24"),  # AS112 (RFC 7534)
    IPv6Network("2620:4f:8000::/48"),  # AS112 (RFC 7534)
    IPv6Network("3fff::/20"),  # documentation (RFC 9637), which Python 3.11 does not know
)
"""Blocks that are not public, though ``is_global`` may be true.

They are Azure's host and blocks of IANA's special-purpose registries (2025-10).
"""


def is_public(host: str) -> bool:
    """Tell whether *host* is an IP address of the public internet. The result is False for other texts.

    An IPv4 address inside an IPv6 address is judged as IPv4. The IPv6 address may be IPv4-mapped, or translated by
    NAT64. IPv6-only networks use NAT64 for every IPv4 host. Of other IPv6 addresses only global unicast (2000::/3)
    counts as public.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is None:
            special = any(address in network for network in (*_TUNNELS, *_NOT_THE_INTERNET))
            return address in _UNICAST and address.is_global and not special
        address = inner
    return (
        address.is_global
        and not address.is_multicast
        and not any(address in network for network in _NOT_THE_INTERNET)
    )
