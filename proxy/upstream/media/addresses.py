"""Which IP addresses are public. Pure.

``is_global`` alone is not enough: it calls multicast global, and an IPv6 address may carry an IPv4 one to which some
gateway leads.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_TUNNELS = (IPv6Network("2001::/32"), IPv6Network("2002::/16"))
"""Teredo and 6to4: an IPv4 address inside, and a relay that might lead there. Nobody serves images from them."""

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
"""Blocks of IANA's special-purpose registries (2025-10) that ``is_global`` lets pass."""


def is_public(host: str) -> bool:
    """Tell whether *host*, an IP address as text, is one of the public internet; what is no address is not.

    An IPv4 address within an IPv6 one (mapped, or by NAT64, which IPv6-only networks give to every IPv4 host) counts as
    itself. Of IPv6 only global unicast (2000::/3) is taken.
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
