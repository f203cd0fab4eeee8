"""Which names no foreign page can have made to lead here, where nobody is asked for a key. Pure."""

from __future__ import annotations

import re
from ipaddress import ip_address

_HOST = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]*)?")
"""What ``Host`` may hold (RFC 9110, section 7.2): an address in brackets or a name, and a port."""


def is_plain_host(host: str) -> bool:
    """Tell whether *host*, a request's ``Host``, is an address, or ``localhost`` or a name below it (RFC 6761)."""
    named = _HOST.fullmatch(host.lower())
    if named is None:
        return False
    if named["v6"] is None and f".{named['name'].removesuffix('.')}".endswith(".localhost"):
        return True
    try:
        address = ip_address(named["v6"] or named["name"])
    except ValueError:
        return False
    return (address.version == 6) == (named["v6"] is not None)
