"""Tests of which IP addresses are public."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest

from proxy.upstream.media.addresses import is_public

PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
NOT_PUBLIC = """
0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.8.9.1 169.254.169.254 172.16.0.1 192.0.2.1 192.168.1.1
198.18.0.1 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1
::127.0.0.1 ::ffff:127.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::808:808
100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0
fec0::1 ff02::1 127.1 2130706433 0x7f000001 example.com
"""


@pytest.mark.parametrize("host", PUBLIC)
def test_global_unicast_addresses_are_public(host: str) -> None:
    """An IPv4 address within an IPv6 address is judged as IPv4."""
    assert is_public(host)


@pytest.mark.parametrize("host", ["", *NOT_PUBLIC.split()])
def test_private_and_special_addresses_are_not_public(host: str) -> None:
    """Metadata services, tunnels, multicast and texts that are no address are not public."""
    assert not is_public(host)


REGISTRY = """
0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/31 192.0.2.0/24 192.31.196.0/24
192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24
203.0.113.0/24 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 64:ff9b:1::/48 100::/64 100:0:0:1::/64
2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32
2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48
3fff::/20 5f00::/16 fc00::/7 fe80::/10 224.0.0.0/4 fec0::/10 ff00::/8
"""
"""The blocks of IANA's special-purpose registries (2025-10), and blocks that other registries reserve.

Left out are the two blocks that hold IPv4 addresses (``::ffff:0:0/96`` and ``64:ff9b::/96``).
"""

NEIGHBOURS = ["3ffe:ffff::1", "4000::1", "2620:4f:7fff::1", "2620:4f:8001::1", "192.31.195.9", "192.31.197.9"]


@pytest.mark.parametrize("block", REGISTRY.split())
def test_special_purpose_blocks_are_not_public(block: str) -> None:
    """The first, the middle and the last address of each block are checked."""
    network = ip_network(block)
    middle = ip_address(int(network[0]) + network.num_addresses // 2)

    assert not any(is_public(str(address)) for address in (network[0], middle, network[-1]))


@pytest.mark.parametrize("host", NEIGHBOURS)
def test_addresses_beside_a_special_block_are_public(host: str) -> None:
    """Neighbours of a special block are public, except 4000::1, which is outside of global unicast."""
    assert is_public(host) == (host != "4000::1")
