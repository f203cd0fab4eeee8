"""The names that ``Host`` may have where no key is asked for. Pure.

A page of somebody else's can have its own name lead to this process (DNS rebinding). The browser then takes the process
for the page's own server. It still sends the page's name as ``Host``, so that unknown names are refused.
"""

from __future__ import annotations

import re
from ipaddress import ip_address

_HOST = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]*)?")
"""The syntax of ``Host`` (RFC 9110, section 7.2): an address in brackets or a name, and a port."""

_OF_CONTAINERS = frozenset({"host.docker.internal", "gateway.docker.internal", "host.containers.internal"})
"""The names by which Docker and Podman let a container reach its host. No public name server answers for them."""


def is_trusted_host(host: str, allowed: tuple[str, ...] = ()) -> bool:
    """Tell whether *host*, the value of ``Host``, cannot have been chosen by a foreign page.

    True for addresses, ``localhost`` and names below it (RFC 6761), the host's names within containers, and *allowed*
    names, which are in lower case. The port does not count, nor does a dot at the end.
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
