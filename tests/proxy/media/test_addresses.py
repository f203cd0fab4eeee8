"""Which addresses are public."""

from __future__ import annotations

import pytest

from proxy.media.addresses import is_public

PUBLIC = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
NOT_PUBLIC = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.8.9.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:808:808::",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "example.com",
    "",
]


@pytest.mark.parametrize("host", PUBLIC)
def test_public(host: str) -> None:
    """Global unicast, an IPv4 address within an IPv6 one counting as itself."""
    assert is_public(host)


@pytest.mark.parametrize("host", NOT_PUBLIC)
def test_not_public(host: str) -> None:
    """Everything else: this host, private and shared networks, metadata services, tunnels, multicast, names."""
    assert not is_public(host)
