"""The forward proxies that the process's environment names, and the addresses for which they are meant.

The direct transport calls providers without a forward proxy. litellm (1.105.3) uses the proxies of these variables.
Both spellings count, and the lower-case one takes precedence, as in Python's ``urllib``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

_SCHEMES = ("http", "https", "all")


@dataclass(frozen=True, slots=True)
class ForwardProxies:
    """The variables that name forward proxies, by the scheme of an address.

    A proxy's own address is not kept, since it may hold a password. *exempt* is the value of ``NO_PROXY``: the hosts
    that are called without a proxy.
    """

    variables: tuple[tuple[str, str], ...] = ()
    exempt: str = ""

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> ForwardProxies:
        """Return the proxies that *environ*, the environment of the process, names."""
        found = ((scheme, _name_in(environ, f"{scheme}_proxy")) for scheme in _SCHEMES)
        exempt = _name_in(environ, "no_proxy")
        return cls(
            tuple((scheme, name) for scheme, name in found if name is not None),
            environ[exempt] if exempt is not None else "",
        )

    def variable_for(self, address: str | None) -> str | None:
        """Return the variable of the proxy that is meant for *address*, or None.

        No proxy is meant for a host in ``NO_PROXY``, and for this machine.
        """
        if not self.variables or address is None:
            return None
        parts, names = urlsplit(address), dict(self.variables)
        name = names.get(parts.scheme) or names.get("all")
        if name is None or parts.hostname is None or _is_loopback(parts.hostname):
            return None
        return None if _is_exempt(parts.hostname, self.exempt) else name


def _name_in(environ: Mapping[str, str], name: str) -> str | None:
    """Return the spelling of the variable *name* that counts in *environ*. None where it is not set, or empty."""
    spelling = name if name in environ else name.upper()
    return spelling if environ.get(spelling, "").strip() else None


def _is_exempt(host: str, exempt: str) -> bool:
    """Tell whether *host*, or a domain above it, is in the list *exempt*. ``*`` stands for all hosts."""
    if exempt.strip() == "*":
        return True
    names = (name.strip().lstrip(".").lower() for name in exempt.split(","))
    return any(name and (host == name or host.endswith(f".{name}")) for name in names)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
