"""Builds the connection key and the head of requests to a URL, which later requests to the same URL reuse."""

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
    """The connection key and the head of requests to one URL."""

    request: aiohttp.ClientRequest = field(repr=False)
    """A request object that is only used to open connections. It is never sent."""

    key: ConnectionKey
    """The key under which the pool keeps connections."""

    head: bytes = field(repr=False)
    """The request's head, up to the last header, Content-Length, without its value. The head holds the API key."""

    def head_for(self, body: bytes, more_headers: Mapping[str, str] | None = None) -> bytes:
        """Return the head of a request with *body*.

        *more_headers* are added at the end. Their names must be new, and their values ASCII.
        """
        if more_headers:
            lines = "".join(f"{name}: {value}\r\n" for name, value in more_headers.items())
            return b"%b%d\r\n%b\r\n" % (self.head, len(body), lines.encode("ascii"))
        return b"%b%d\r\n\r\n" % (self.head, len(body))


def destination_of(url: str, headers: Mapping[str, str]) -> Destination:
    """Return the destination of POST requests to *url* with *headers*, which replace aiohttp's own.

    The head includes the headers that aiohttp adds: Host, Accept and Accept-Encoding. aiohttp (3.14.5) makes 45
    function calls to write these headers anew. Reading the answer takes as many. Raises :class:`aiohttp.InvalidURL`.
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
