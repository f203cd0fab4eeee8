"""Only host names that no foreign page can have chosen are trusted."""

from __future__ import annotations

import pytest

from proxy.ingress.middlewares.cross_site import is_trusted_host

ALLOWED = ("box.example", "nas")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:4000",
        "192.168.1.20:4000",
        "[::1]:4000",
        "[fe80::1]",
        "localhost",
        "LOCALHOST.:4000",
        "a.localhost",
        "host.docker.internal:4000",
        "Host.Docker.Internal.",
        "gateway.docker.internal",
        "host.containers.internal",
        "box.example",
        "BOX.Example.:4000",
        "nas:80",
    ],
)
def test_addresses_own_names_and_configured_names_are_trusted(host: str) -> None:
    """The case, the port and a final dot of a host name are ignored."""
    assert is_trusted_host(host, ALLOWED)


@pytest.mark.parametrize(
    "host",
    [
        "",
        ".",
        "a b",
        "evil.example",
        "evil.example:4000",
        "evillocalhost",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "127.0.0.1:4000.evil.example",
        "localhost:4000@evil.example",
        "[::1",
        "[::1].evil.example",
        "[127.0.0.1]",
        "[localhost]",
        "docker.internal",
        "a.host.docker.internal",
        "host.docker.internal.evil.example",
        "a.box.example",
        "box.example..",
        "nas.evil.example",
        "2130706433",
    ],
)
def test_other_names_are_not_trusted(host: str) -> None:
    """Other names are not trusted, even names that resemble a trusted name."""
    assert not is_trusted_host(host, ALLOWED)


def test_no_further_name_is_trusted_by_default() -> None:
    """Only the settings add trusted names."""
    assert not is_trusted_host("nas")
