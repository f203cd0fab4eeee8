"""Fetch images from public addresses, bounded in every direction.

A name is resolved once, every address that it has must be public, and it is one of those that is connected to, looked
at once more as the socket is made: a name that answers differently the second time (DNS rebinding) is never asked
twice. Redirects are followed by hand, each held to the same rules.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType
from aiohttp.resolver import ThreadedResolver
from typing_extensions import override
from yarl import URL

from proxy import __version__
from proxy.media.addresses import is_public
from sanitizers.media.payloads import type_of_bytes

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 3
_AT_ONCE = 8
"""Fetches of the whole process at one time: what they hold in memory is bounded with it."""

_LARGE = 2**20
"""Bytes of an image that take a millisecond to encode."""

_STEP = 3 * 2**18
"""Bytes that are encoded at a time: threes, which make fours of letters."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An image as a ``data:`` URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Unfetched:
    """Why there is none, in words that fit behind "the image at HOST"; nothing of the address is in them."""

    what: str


class _Refused(Exception):
    """Ends one fetch; *what* is :attr:`Unfetched.what`."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class _NotPublic(OSError):
    """A name that leads, or would lead, to an address that is not public."""


_NOT_PUBLIC = "is not at a public address"


class MediaFetcher:
    """Fetches for one process. *public*, *resolver* and *ports* are given by tests alone."""

    def __init__(
        self,
        *,
        max_bytes: int,
        timeout_s: float,
        public: Callable[[str], bool] = is_public,
        resolver: AbstractResolver | None = None,
        ports: frozenset[int] = frozenset({80, 443}),
    ) -> None:
        self.timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._public = public
        self._resolver = resolver
        self._ports = ports
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def fetch(self, addresses: Iterable[str], *, until: float) -> dict[str, Fetched | Unfetched]:
        """Return what was found at each address, all at once, until that moment of the loop's clock at the latest.

        All of them together may be as large as one may; what is over, in their order, is not returned.
        """
        wanted = list(dict.fromkeys(addresses))
        connector = aiohttp.TCPConnector(
            limit=_AT_ONCE,
            force_close=True,
            use_dns_cache=False,
            resolver=_PublicResolver(self._resolver or ThreadedResolver(), self._public),
            socket_factory=self._open_socket,
        )
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            headers={
                "User-Agent": f"turnright/{__version__}",
                "Accept": "image/*",
                "Accept-Encoding": "identity",
            },
            auto_decompress=False,
            trust_env=False,
        )
        async with session, asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._fetch(session, address, until)) for address in wanted]
        room = self._max_bytes
        found: dict[str, Fetched | Unfetched] = {}
        for address, task in zip(wanted, tasks, strict=True):
            one = task.result()
            if isinstance(one, bytes):
                room -= len(one)
                found[address] = await _encode(one) if room >= 0 else Unfetched(self._too_large)
            else:
                found[address] = one
        return found

    async def _fetch(self, session: aiohttp.ClientSession, address: str, until: float) -> bytes | Unfetched:
        try:
            async with asyncio.timeout_at(until), self._places:
                return await self._follow(session, address)
        except _Refused as refused:
            return Unfetched(refused.what)
        except TimeoutError:
            return Unfetched("did not come in time")
        except aiohttp.ClientConnectorError as error:
            return Unfetched(_NOT_PUBLIC if isinstance(error.os_error, _NotPublic) else "cannot be reached")
        except (
            aiohttp.ClientError,
            OSError,
            ValueError,
        ):  # ValueError: what yarl says of an address that is none
            return Unfetched("cannot be read")

    async def _follow(self, session: aiohttp.ClientSession, address: str) -> bytes:
        url = URL(address)
        for _ in range(_MOST_REDIRECTS + 1):
            self._check(url)
            async with session.get(url, allow_redirects=False) as response:
                if response.status in _REDIRECTS:
                    url = url.join(URL(response.headers.get("Location", "")))
                    continue
                if response.status != 200:
                    raise _Refused(f"was answered with status {response.status}")
                return await self._read(response)
        raise _Refused(f"is behind more than {_MOST_REDIRECTS} redirects")

    def _check(self, url: URL) -> None:
        """Raise :class:`_Refused` for an address that is not to be asked, as far as it tells by itself."""
        if url.scheme not in ("http", "https") or not url.host:
            raise _Refused("is not at an http or https address")
        if url.user is not None or url.password is not None:
            raise _Refused("is at an address that holds credentials")
        if url.port not in self._ports:
            raise _Refused("is at a port other than 80 and 443")
        if (":" in url.host or url.host.replace(".", "").isdigit()) and not self._public(url.host):
            raise _Refused(_NOT_PUBLIC)

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise _Refused("comes compressed, which was not asked for")
        if (response.content_length or 0) > self._max_bytes:
            raise _Refused(self._too_large)
        pieces: list[bytes] = []
        size = 0
        async for piece in response.content.iter_any():
            pieces.append(piece)
            size += len(piece)
            if size > self._max_bytes:
                raise _Refused(self._too_large)
        data = b"".join(pieces)
        if type_of_bytes(data[:64]) is None:  # what the server calls it is not to be relied on
            raise _Refused("is no image of a known kind")
        return data

    @property
    def _too_large(self) -> str:
        return f"is larger than the {self._max_bytes / 2**20:g} MiB that are fetched for a request"

    def _open_socket(self, address: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, place = address
        if not self._public(str(place[0])):
            raise _NotPublic(_NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


async def _encode(data: bytes) -> Fetched:
    """Return *data* as it is put into a request; what takes more than a millisecond is done beside the loop."""
    return await asyncio.to_thread(_encoded, data) if len(data) > _LARGE else _encoded(data)


def _encoded(data: bytes) -> Fetched:
    """Encode *data* in steps, between which the loop has its turn: one call would hold the lock for all of it."""
    steps = (b64encode(data[at : at + _STEP]).decode() for at in range(0, len(data), _STEP))
    return Fetched("".join((f"data:{type_of_bytes(data[:64])};base64,", *steps)))


class _PublicResolver(AbstractResolver):
    """Resolves names of which every address is public."""

    def __init__(self, resolver: AbstractResolver, public: Callable[[str], bool]) -> None:
        self._resolver = resolver
        self._public = public

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        if not found or not all(self._public(result["host"]) for result in found):
            raise _NotPublic(_NOT_PUBLIC)
        return found

    @override
    async def close(self) -> None:
        await self._resolver.close()
