"""Where a request goes, and all of its head that is the same each time: written once for an address and its headers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import aiohttp
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.http_writer import _serialize_headers
from multidict import CIMultiDict
from yarl import URL

from proxy import __version__


@dataclass(frozen=True, slots=True)
class Destination:
    """One address, as its connections are known by, with the head of a request to it."""

    request: aiohttp.ClientRequest = field(repr=False)
    """What a connection is opened with; it is never sent."""

    key: ConnectionKey
    """What its connections are kept under."""

    head: bytes = field(repr=False)
    """The head up to the length of the body, which ends it. It holds the key."""

    def opening(self, body: bytes, further: Mapping[str, str] | None = None) -> bytes:
        """Return the whole head of a request with *body*; *further* headers are not in it yet, and are plain ASCII."""
        if further:
            lines = "".join(f"{name}: {value}\r\n" for name, value in further.items())
            return b"%b%d\r\n%b\r\n" % (self.head, len(body), lines.encode("ascii"))
        return b"%b%d\r\n\r\n" % (self.head, len(body))


def destination_of(url: str, headers: Mapping[str, str]) -> Destination:
    """Return the destination of POST requests to *url* with *headers*, which no other header of theirs is over.

    What aiohttp adds to a request is in it: the host, what may come back and how it may be compressed. It takes aiohttp
    (3.14.5) 45 calls to say that anew, which is as much as to read the answer. Raises :class:`aiohttp.InvalidURL`.
    """
    given: CIMultiDict[str] = CIMultiDict({"User-Agent": f"turnright/{__version__}"})
    for name, value in headers.items():
        given[name] = value
    try:
        request = aiohttp.ClientRequest("POST", URL(url), headers=given)
    except ValueError as error:
        raise aiohttp.InvalidURL(url) from error
    request.headers.pop("Content-Length", None)
    request.headers["Content-Length"] = ""
    head = _serialize_headers(f"POST {request.url.raw_path_qs} HTTP/1.1", request.headers)
    return Destination(request, request.connection_key, head.removesuffix(b"\r\n\r\n"))
