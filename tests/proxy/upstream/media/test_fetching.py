"""Tests of fetching images over real sockets: refused addresses, and limits on size and time."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from proxy.upstream.media.addresses import is_public
from proxy.upstream.media.fetching import Fetched, MediaFetcher, Unfetched
from tests.proxy.upstream.media.image_server import JPEG, MIB, PNG, ImageServer, Names, serving_images

LOOPBACK = [["127.0.0.1"]]
CLIENT = "key:one"


@pytest.fixture
async def images() -> AsyncIterator[ImageServer]:
    """Serve images."""
    async with serving_images() as server:
        yield server


def fetcher(images: ImageServer, **settings: Any) -> MediaFetcher:
    """Return a fetcher to which the test's server counts as public."""
    given = {
        "max_bytes": MIB,
        "timeout_s": 5.0,
        "public": lambda host: host == "127.0.0.1",
        "resolver": Names(images_test=LOOPBACK),
        "ports": frozenset({images.port}),
    }
    return MediaFetcher(**{**given, **settings})


async def fetch(found: MediaFetcher, *addresses: str, seconds: float = 30.0) -> list[Fetched | Unfetched]:
    """Return a result for each of *addresses*: the image, or the reason why it was not fetched."""
    until = asyncio.get_running_loop().time() + seconds
    return list((await found.fetch(addresses, client=CLIENT, until=until)).values())


async def wait_until(happened: Callable[[], bool]) -> None:
    """Wait until *happened* returns True."""
    async with asyncio.timeout(30):
        while not happened():  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)


async def words(found: MediaFetcher, address: str, **options: Any) -> str:
    """Return the reason why *address* was not fetched."""
    (one,) = await fetch(found, address, **options)
    assert isinstance(one, Unfetched)
    return one.what


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a.png", b"image/png" + PNG),
        ("/a.jpg", b"image/jpeg" + JPEG),
        ("/to/0", b"image/png" + PNG),
        ("/to/2", b"image/png" + PNG),
    ],
)
async def test_image_becomes_a_data_url_with_the_type_of_its_bytes(
    images: ImageServer, path: str, expected: bytes
) -> None:
    """The server's content type does not count. Redirects are followed."""
    (found,) = await fetch(fetcher(images), images.url(path))

    kind, data = expected[: expected.index(b"\x89" if b"png" in expected else b"\xff")], expected
    payload = b64encode(data[len(kind) :]).decode()
    assert found == Fetched(f"data:{kind.decode()};base64,{payload}")


@pytest.mark.parametrize(("more", "beside"), [(100_000, False), (3 * 2**19, True), (2**21 + 1, True)])
async def test_large_image_is_encoded_in_a_worker_thread(
    images: ImageServer, monkeypatch: pytest.MonkeyPatch, more: int, beside: bool
) -> None:
    """The base64 text is complete, whether or not the image's length is a multiple of three."""
    encoders = set()

    def encode(data: bytes) -> bytes:
        encoders.add(threading.current_thread())
        return b64encode(data)

    monkeypatch.setattr("proxy.upstream.media.fetching.b64encode", encode)
    (found,) = await fetch(fetcher(images, max_bytes=4 * MIB), images.url(f"/large/{more}"))

    assert found == Fetched(f"data:image/png;base64,{b64encode(PNG + bytes(more)).decode()}")
    assert (threading.main_thread() not in encoders) == beside


async def test_no_credentials_cookies_or_forward_proxies_are_used(
    images: ImageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The request goes straight to the server, with five headers that hold no credential and no cookie."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    await fetch(fetcher(images), images.url("/a.png"))

    (head,) = images.heads
    assert head.keys() == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert head["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001"]
)
async def test_loopback_is_not_fetched_under_any_spelling(images: ImageServer, host: str) -> None:
    """The server gets no request."""
    guarded = MediaFetcher(max_bytes=MIB, timeout_s=5, ports=frozenset({images.port}))

    told = await words(guarded, images.url("/a.png", host))

    assert told in ("is not at a public address", "cannot be reached", "cannot be read")
    assert images.hits.total() == 0


async def test_reason_names_an_address_that_is_not_public(images: ImageServer) -> None:
    """A host name and an IP address give the same reason."""
    guarded = MediaFetcher(max_bytes=MIB, timeout_s=5, ports=frozenset({images.port}))

    assert await words(guarded, images.url("/a.png", "localhost")) == "is not at a public address"
    assert await words(guarded, images.url("/a.png", "127.0.0.1")) == "is not at a public address"


@pytest.mark.parametrize(
    "addresses", [["8.8.8.8", "10.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["169.254.169.254"], []]
)
async def test_name_with_one_private_address_is_refused(images: ImageServer, addresses: list[str]) -> None:
    """The connection might go to any of the name's addresses."""
    names = Names(images_test=[addresses])

    told = await words(fetcher(images, public=is_public, resolver=names), images.url("/a.png"))

    assert told == "is not at a public address"
    assert images.hits.total() == 0


async def test_a_name_is_resolved_once(images: ImageServer) -> None:
    """A second look-up might give a private address (DNS rebinding)."""
    names = Names(images_test=[["127.0.0.1"], ["10.0.0.1"]])

    (found,) = await fetch(fetcher(images, resolver=names), images.url("/a.png"))

    assert isinstance(found, Fetched)
    assert names.asked == ["images.test"]


async def test_socket_factory_checks_the_address_again(images: ImageServer) -> None:
    """The resolver let the address pass, and still no connection is made."""
    looks = iter([True, False])

    told = await words(fetcher(images, public=lambda _: next(looks)), images.url("/a.png"))

    assert told == "is not at a public address"
    assert images.hits.total() == 0


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1:{port}/x", "http://inside.test:{port}/x", "http://[::1]:{port}/x"]
)
async def test_a_redirect_to_a_private_address_is_refused(images: ImageServer, target: str) -> None:
    """The target of each redirect is checked by the same rules as the client's URL."""
    names = Names(images_test=LOOPBACK, inside_test=[["192.168.0.7"]])
    url = images.url("/to/0") + "?url=" + target.format(port=images.port)

    assert await words(fetcher(images, resolver=names), url) == "is not at a public address"
    assert images.hits == {"/to/0": 1}


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://images.test:{port}/to/3", "is behind more than 3 redirects"),
        ("http://images.test:{port}/to/0?url=file:///etc/passwd", "is not at an http or https address"),
        ("http://images.test:{port}/to/0?url=http://images.test:22/", "is at a port other than 80 and 443"),
        ("http://images.test:22/a.png", "is at a port other than 80 and 443"),
        ("http://images.test/a.png", "is at a port other than 80 and 443"),
        ("http://me:secret@images.test:{port}/a.png", "is at an address that holds credentials"),
        ("http://images.test:{port}/missing", "was answered with status 404"),
        ("http://images.test:{port}/page", "is no image of a known kind"),
        ("http://images.test:{port}/zipped", "comes compressed, which was not asked for"),
        ("http:///a.png", "is not at an http or https address"),
        ("http://images.test:99999/a.png", "cannot be read"),
    ],
)
async def test_reason_of_each_refused_url_holds_no_part_of_it(
    images: ImageServer, url: str, told: str
) -> None:
    """Each rule gives its own reason, which holds no part of the URL."""
    assert await words(fetcher(images), url.format(port=images.port)) == told


@pytest.mark.parametrize("path", ["/slow", "/silent"])
async def test_slow_image_ends_at_the_fetch_timeout(images: ImageServer, path: str) -> None:
    """The fetch timeout holds before and after the image's first bytes."""
    begun = time.monotonic()

    assert await words(fetcher(images, timeout_s=0.1), images.url(path)) == "did not come in time"
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("path", ["/slow", "/silent"])
async def test_the_deadline_ends_a_fetch(images: ImageServer, path: str) -> None:
    """The request's deadline ends a fetch whose own timeout is longer."""
    with pytest.raises(TimeoutError):
        await fetch(fetcher(images, timeout_s=60.0), images.url(path), seconds=0.1)


async def test_large_image_is_refused(images: ImageServer) -> None:
    """An image with a too large announced length is refused, and so is a body without end."""
    told = "is larger than the 1 MiB that are fetched for a request"

    assert await words(fetcher(images), images.url(f"/large/{MIB}")) == told
    assert await words(fetcher(images), images.url("/endless")) == told


async def test_images_of_a_request_share_one_size_limit(images: ImageServer) -> None:
    """The order of the addresses decides which images are dropped."""
    half = MIB // 2
    found = await fetch(
        fetcher(images), *(images.url(f"/large/{half + n}") for n in range(3)), images.url("/a.png")
    )

    assert [type(one) for one in found] == [Fetched, Unfetched, Unfetched, Unfetched]


async def test_an_address_is_fetched_once(images: ImageServer) -> None:
    """An address that a request names three times is fetched once."""
    found = await fetcher(images).fetch(
        [images.url("/a.png")] * 3, client=CLIENT, until=asyncio.get_running_loop().time() + 5
    )

    assert len(found) == 1
    assert images.hits == {"/a.png": 1}


async def test_slow_images_of_one_client_do_not_delay_another(images: ImageServer) -> None:
    """A client that names a hundred images gets six fetches at a time."""
    found = fetcher(images, timeout_s=60.0)
    slow = [asyncio.ensure_future(fetch(found, images.url(f"/silent?{n}"), seconds=60)) for n in range(100)]
    await wait_until(lambda: images.hits["/silent"] == 6)

    until = asyncio.get_running_loop().time() + 30
    (got,) = (await found.fetch([images.url("/a.png")], client="key:other", until=until)).values()

    assert isinstance(got, Fetched)
    assert images.hits["/silent"] == 6
    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)


async def test_waiting_for_a_place_does_not_use_up_the_time(images: ImageServer) -> None:
    """The timeout of a fetch begins when the fetch starts, and not while it waits."""
    found = fetcher(images, timeout_s=0.4)
    paths = [*(f"/silent?{n}" for n in range(12)), "/a.png"]

    *slow, last = await asyncio.gather(*(fetch(found, images.url(path)) for path in paths))

    assert [type(one) for (one,) in slow] == [Unfetched] * 12
    assert isinstance(last[0], Fetched)


async def test_the_deadline_ends_the_wait_for_a_place(images: ImageServer) -> None:
    """A fetch that waits past its deadline is never sent, and a later fetch succeeds."""
    found = fetcher(images, timeout_s=60.0)
    slow = [asyncio.ensure_future(fetch(found, images.url(f"/silent?{n}"))) for n in range(6)]
    await wait_until(lambda: images.hits["/silent"] == 6)

    with pytest.raises(TimeoutError):
        await fetch(found, images.url("/a.png"), seconds=0.1)

    for task in slow:
        task.cancel()
    await asyncio.gather(*slow, return_exceptions=True)
    assert isinstance((await fetch(found, images.url("/b.png")))[0], Fetched)
    assert images.hits["/a.png"] == 0


async def test_slow_name_keeps_its_place_until_its_thread_ends(
    images: ImageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look-up cannot be cancelled, so it counts against its client until its thread ends.

    Look-ups do not use asyncio's own threads.
    """
    asked, threads, go = [], set(), threading.Event()

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        threads.add(threading.current_thread().name)
        if host.startswith("slow"):
            go.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    found = fetcher(images, resolver=None, timeout_s=0.3)
    names = [images.url("/a.png", f"slow{n}.test") for n in range(20)]
    late = [asyncio.ensure_future(fetch(found, name)) for name in names]
    await wait_until(lambda: sum(task.done() for task in late) == 6)
    until = asyncio.get_running_loop().time() + 30
    other = await found.fetch([images.url("/a.png", "fast.test")], client="key:other", until=until)

    assert len(asked) == 7
    assert threads == {"media-look-up"}
    assert isinstance(next(iter(other.values())), Fetched)
    go.set()
    await asyncio.gather(*late)
    assert len(asked) == 21
