"""Decides which values of ``Host`` are trusted where no keys are configured.

A foreign page can let its own name lead to this process (DNS rebinding). The browser then takes the process for the
page's own server. It still sends the page's name as ``Host``, so unknown names are refused.
"""

from __future__ import annotations

import re
from ipaddress import ip_address

_HOST = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]*)?")
"""The syntax of ``Host`` (RFC 9110, section 7.2): an address in brackets or a name, and optionally a port."""

_OF_CONTAINERS = frozenset({"host.docker.internal", "gateway.docker.internal", "host.containers.internal"})
"""The names by which Docker and Podman let a container reach its host. Public name servers do not resolve them."""


def is_trusted_host(host: str, allowed: tuple[str, ...] = ()) -> bool:
    """Return True where a foreign page cannot have chosen *host*, the value of ``Host``.

    IP addresses are trusted, ``localhost`` and names below it (RFC 6761), and the names of a container's host. The
    *allowed* names, in lower case, are trusted too. The port and a dot at the end are ignored.
    """
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return False
    if found["v6"] is None:
        name = found["name"].removesuffix(".")
        if f".{name}".endswith(".localhost") or name in _OF_CONTAINERS or name in allowed:
            return True
    try:
        address = ip_address(found["v6"] or found["name"])
    except ValueError:
        return False
    return (address.version == 6) == (found["v6"] is not None)
