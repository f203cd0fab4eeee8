"""Decides from a request's headers whether a foreign web page sent it. The rules hold where no keys are configured.

A browser sends a page's request to any address, loopback included. The browser marks the request (Fetch, section 3.1;
Fetch Metadata, section 2). The browser asks for permission first (a CORS preflight), unless the request is simple. A
simple request is a GET, or a POST whose body is a form, plain text or of no type. A JSON body therefore cannot come
from a page that is not allowed to send it.

A foreign page can make its own host name resolve to this process (DNS rebinding). The browser then takes the process
for the page's own server. The browser still sends the page's host name as ``Host``, so unknown names are refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from functools import lru_cache
from ipaddress import ip_address

_JSON = "application/json"

_JSON_TYPE = re.compile(r"[a-z0-9!#$&^_.-]+/[a-z0-9!#$&^_.+-]*\+json")
"""A content type with JSON syntax (RFC 6839, section 3.1), in lower case."""

_HOST = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<name>[^\[\]:]+))(?::[0-9]*)?")
"""The syntax of ``Host`` (RFC 9110, section 7.2): an address in brackets or a name, and optionally a port."""

_OF_CONTAINERS = frozenset({"host.docker.internal", "gateway.docker.internal", "host.containers.internal"})
"""The names by which Docker and Podman let a container reach its host. Public name servers do not resolve them."""


class Verdict(Enum):
    """The result of :func:`judge` for the headers of one request."""

    FINE = "fine"
    FOREIGN_HOST = "foreign host"
    FOREIGN_PAGE = "foreign page"
    OTHER_TYPE = "other type"
    """A content type that is not JSON, or no content type.

    A request with a body is then refused, unless it has no content type and no browser sent it.
    """


@lru_cache(maxsize=64)  # clients send the same few values with each request
def judge(
    host: str | None,
    origin: str | None,
    site: str | None,
    content_type: str | None,
    allowed: tuple[tuple[str, ...], tuple[str, ...]],
) -> Verdict:
    """Return the verdict on the values of ``Host``, ``Origin``, ``Sec-Fetch-Site`` and ``Content-Type``.

    None stands for a header that was not sent. Every browser sends ``Host``. *allowed* holds the allowed hosts and
    origins of the settings. The process's own origin is ``http://`` followed by the request's ``Host``.
    """
    hosts, origins = allowed
    if host is not None and not is_trusted_host(host, hosts):
        return Verdict.FOREIGN_HOST
    if origin is None or origin not in origins:
        foreign = origin is not None and (host is None or origin.lower() != f"http://{host.lower()}")
        if foreign or (site is not None and site.strip().lower() == "cross-site"):
            return Verdict.FOREIGN_PAGE
    return Verdict.FINE if _is_json(content_type) else Verdict.OTHER_TYPE


def may_send_body(headers: Mapping[str, str]) -> bool:
    """Return True where a request that is not JSON may be served.

    Such a request may be served if it has no body. A body without a content type may also be served, if no browser sent
    the request. *headers* must be case-insensitive.
    """
    if headers.get("Content-Length", "0") == "0" and "Transfer-Encoding" not in headers:
        return True
    if "Content-Type" in headers or "Origin" in headers:
        return False
    return not any(name.lower().startswith("sec-fetch-") for name in headers)


def _is_json(content_type: str | None) -> bool:
    if content_type is None or content_type == _JSON:
        return content_type is not None
    essence = content_type.partition(";")[0].strip().lower()
    return essence == _JSON or _JSON_TYPE.fullmatch(essence) is not None


def is_trusted_host(host: str, allowed: tuple[str, ...] = ()) -> bool:
    """Return True where a foreign page cannot have chosen *host*, the value of ``Host``.

    IP addresses, ``localhost``, its subdomains (RFC 6761) and the names of a container's host are trusted. The
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
