"""Fetches images from public addresses, with limits in time, size and number.

A name is resolved once, and all of its addresses must be public. The socket factory checks the address again when it
connects. So a name that resolves differently later (DNS rebinding) leads to no private address. Each redirect is
followed under the same rules.
"""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType
from typing_extensions import override
from yarl import URL

from proxy import __version__
from proxy.core.fair_places import FairPlaces
from proxy.upstream.media.addresses import is_public
from proxy.upstream.media.image_room import ImageRoom, IncomingImage
from proxy.upstream.media.name_lookup import ThreadResolver
from sanitizers.media.payloads import type_of_bytes

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 3
_AT_ONCE = 8
"""The most fetches of the whole process at one time. This also limits open connections and name look-ups."""

_KEPT_FREE = 2
"""The number of concurrent fetches that are reserved for clients without a running fetch.

So six slow images of one client do not block other clients.
"""

_LARGE = 2**20
"""The size above which an image is encoded in a worker thread. Encoding this many bytes takes a millisecond."""

_STEP = 3 * 2**18
"""Bytes that are encoded at a time. The number is a multiple of three, since base64 encodes three bytes at a time."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An image as a ``data:`` URL."""

    url: str


@dataclass(frozen=True, slots=True)
class Unfetched:
    """The reason why an image was not fetched.

    *what* continues a sentence that begins with "the image at HOST", and holds no part of the address.
    """

    what: str


class _Refused(Exception):
    """Ends one fetch. *what* is :attr:`Unfetched.what`."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class _NotPublic(OSError):
    """Raised for an address that is not public."""


_NOT_PUBLIC = "is not at a public address"
_TIMED_OUT = Unfetched("did not come in time")


class MediaFetcher:
    """Fetches images for one process. Only tests give *public*, *resolver* and *ports*."""

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
        self._places = FairPlaces(_AT_ONCE, kept_free=_KEPT_FREE)

    async def fetch(
        self, addresses: Iterable[str], *, client: str, until: float
    ) -> dict[str, Fetched | Unfetched]:
        """Fetch *addresses* concurrently, within the share of *client*, and return the result for each address.

        Each fetch first waits for a free place among all clients' fetches. Its timeout begins after that wait. Raises
        TimeoutError when *until*, a time of the loop's clock, comes first. The limit in bytes holds for all images
        together. Beyond this limit the last images, in the order of *addresses*, are dropped.
        """
        wanted = list(dict.fromkeys(addresses))
        room = ImageRoom(len(wanted), self._max_bytes)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._fetch(address, image, client, until))
                for address, image in zip(wanted, room.images, strict=True)
            ]
        if asyncio.get_running_loop().time() >= until:
            raise TimeoutError
        found: dict[str, Fetched | Unfetched] = {}
        for address, image, task in zip(wanted, room.images, tasks, strict=True):
            failed = Unfetched(self._too_large) if image.is_dropped else task.result()
            found[address] = failed or await _encode(image.read())
            image.drop()
        return found

    async def _fetch(self, address: str, image: IncomingImage, client: str, until: float) -> Unfetched | None:
        """Read the image at *address* into *image*. Return None, or the reason why the fetch failed."""
        try:
            async with asyncio.timeout_at(until):
                await self._places.acquire(client)
        except TimeoutError:
            return _TIMED_OUT
        resolver = ThreadResolver()
        try:
            until = min(asyncio.get_running_loop().time() + self.timeout_s, until)
            failed = await self._try(address, image, self._resolver or resolver, until)
        finally:
            # A look-up cannot be cancelled. Its thread keeps the place until it ends by itself.
            resolver.call_when_idle(partial(self._places.release, client))
        if failed is not None:
            image.drop()
        return failed

    async def _try(
        self, address: str, image: IncomingImage, resolver: AbstractResolver, until: float
    ) -> Unfetched | None:
        try:
            async with asyncio.timeout_at(until), self._open_session(resolver) as session:
                await self._follow(session, address, image)
        except _Refused as refused:
            return Unfetched(refused.what)
        except TimeoutError:
            return _TIMED_OUT
        except aiohttp.ClientConnectorError as error:
            return Unfetched(_NOT_PUBLIC if isinstance(error.os_error, _NotPublic) else "cannot be reached")
        except (aiohttp.ClientError, OSError, ValueError):  # ValueError: yarl, for a text that is no URL
            return Unfetched("cannot be read")
        return None

    def _open_session(self, resolver: AbstractResolver) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            force_close=True,
            use_dns_cache=False,
            resolver=_PublicResolver(resolver, self._public),
            socket_factory=self._open_socket,
        )
        return aiohttp.ClientSession(
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

    async def _follow(self, session: aiohttp.ClientSession, address: str, image: IncomingImage) -> None:
        url = URL(address)
        for _ in range(_MAX_REDIRECTS + 1):
            self._check(url)
            async with session.get(url, allow_redirects=False) as response:
                if response.status in _REDIRECTS:
                    url = url.join(URL(response.headers.get("Location", "")))
                    continue
                if response.status != 200:
                    raise _Refused(f"was answered with status {response.status}")
                await self._read(response, image)
                return
        raise _Refused(f"is behind more than {_MAX_REDIRECTS} redirects")

    def _check(self, url: URL) -> None:
        """Raise :class:`_Refused` for a URL that breaks a rule by its scheme, credentials, port or IP address."""
        if url.scheme not in ("http", "https") or not url.host:
            raise _Refused("is not at an http or https address")
        if url.user is not None or url.password is not None:
            raise _Refused("is at an address that holds credentials")
        if url.port not in self._ports:
            raise _Refused("is at a port other than 80 and 443")
        if (":" in url.host or url.host.replace(".", "").isdigit()) and not self._public(url.host):
            raise _Refused(_NOT_PUBLIC)

    async def _read(self, response: aiohttp.ClientResponse, image: IncomingImage) -> None:
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise _Refused("comes compressed, which was not asked for")
        if (response.content_length or 0) > self._max_bytes:
            raise _Refused(self._too_large)
        async for piece in response.content.iter_any():
            image.add(piece)
            if image.is_dropped:
                raise _Refused(self._too_large)
        if type_of_bytes(image.head) is None:
            raise _Refused("is no image of a known kind")

    @property
    def _too_large(self) -> str:
        return f"is larger than the {self._max_bytes / 2**20:g} MiB that are fetched for a request"

    def _open_socket(self, address: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, place = address
        if not self._public(str(place[0])):
            raise _NotPublic(_NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


async def _encode(data: bytes) -> Fetched:
    """Return *data* as a ``data:`` URL. A large image is encoded in a worker thread."""
    return await asyncio.to_thread(_encoded, data) if len(data) > _LARGE else _encoded(data)


def _encoded(data: bytes) -> Fetched:
    """Encode *data* in steps. One call would hold the interpreter's lock the whole time and block the event loop."""
    steps = (b64encode(data[at : at + _STEP]).decode() for at in range(0, len(data), _STEP))
    return Fetched("".join((f"data:{type_of_bytes(data[:64])};base64,", *steps)))


class _PublicResolver(AbstractResolver):
    """Resolves names whose addresses are all public."""

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
