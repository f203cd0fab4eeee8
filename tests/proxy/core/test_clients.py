"""Tests of the names that identify clients."""

from __future__ import annotations

import pytest

from proxy.core.clients import client_at, client_of_key


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:0:ffff::1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("fe80::1%eth0", "fe80::2%eth1", True),
        ("no:address", "no:address", True),
        ("no:address", "no:other", False),
        (None, "", True),
    ],
)
def test_client_is_an_ipv4_address_or_an_ipv6_network(one: str | None, other: str | None, same: bool) -> None:
    """A client is an IPv4 address or an IPv6 network of 64 bits.

    An IPv4 address mapped into IPv6 is the same client as the IPv4 address.
    """
    assert (client_at(one) == client_at(other)) == same


def test_key_is_never_taken_for_an_address() -> None:
    """A key that is named like an address is another client than that address."""
    assert client_of_key("192.0.2.1") != client_at("192.0.2.1")
