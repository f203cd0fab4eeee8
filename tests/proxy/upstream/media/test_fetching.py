"""Fetching on real sockets: what is refused, and that what is taken is bounded."""

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
    """Return a fetcher that takes the test's server for a public one."""
    given = {
        "max_bytes": MIB,
        "timeout_s": 5.0,
        "public": lambda host: host == "127.0.0.1",
        "resolver": Names(images_test=LOOPBACK),
        "ports": frozenset({images.port}),
    }
    return MediaFetcher(**{**given, **settings})


async def fetch(found: MediaFetcher, *addresses: str, seconds: float = 30.0) -> list[Fetched | Unfetched]:
    """Return what is at *addresses*."""
    until = asyncio.get_running_loop().time() + seconds
    return list((await found.fetch(addresses, client=CLIENT, until=until)).values())


async def wait_until(happened: Callable[[], bool]) -> None:
    """Wait for something that comes by itself."""
    async with asyncio.timeout(30):
        while not happened():  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.01)


async def words(found: MediaFetcher, address: str, **options: Any) -> str:
    """Return why there is nothing at *address*."""
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
async def test_an_image_comes_inline(images: ImageServer, path: str, expected: bytes) -> None:
    """Its type is what its bytes say, not what the server calls it; three redirects are followed."""
    (found,) = await fetch(fetcher(images), images.url(path))

    kind, data = expected[: expected.index(b"\x89" if b"png" in expected else b"\xff")], expected
    payload = b64encode(data[len(kind) :]).decode()
    assert found == Fetched(f"data:{kind.decode()};base64,{payload}")


@pytest.mark.parametrize(("more", "beside"), [(100_000, False), (3 * 2**19, True), (2**21 + 1, True)])
async def test_a_large_image_is_encoded_beside_the_loop(
    images: ImageServer, monkeypatch: pytest.MonkeyPatch, more: int, beside: bool
) -> None:
    """Whole, whatever its length is by three."""
    encoders = set()

    def encode(data: bytes) -> bytes:
        encoders.add(threading.current_thread())
        return b64encode(data)

    monkeypatch.setattr("proxy.upstream.media.fetching.b64encode", encode)
    (found,) = await fetch(fetcher(images, max_bytes=4 * MIB), images.url(f"/large/{more}"))

    assert found == Fetched(f"data:image/png;base64,{b64encode(PNG + bytes(more)).decode()}")
    assert (threading.main_thread() not in encoders) == beside


async def test_nothing_of_ours_goes_along(images: ImageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials, cookie or forward proxy, and the second request knows nothing of the first."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    await fetch(fetcher(images), images.url("/a.png"))

    (head,) = images.heads
    assert head.keys() == {"Host", "User-Agent", "Accept", "Accept-Encoding", "Connection"}
    assert head["Accept-Encoding"] == "identity"


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001"]
)
async def test_loopback_is_not_public(images: ImageServer, host: str) -> None:
    """The guard as it is in use: the server is there, and is not asked."""
    guarded = MediaFetcher(max_bytes=MIB, timeout_s=5, ports=frozenset({images.port}))

    told = await words(guarded, images.url("/a.png", host))

    assert told in ("is not at a public address", "cannot be reached", "cannot be read")
    assert images.hits.total() == 0


async def test_the_guard_says_so(images: ImageServer) -> None:
    """A name and a literal alike."""
    guarded = MediaFetcher(max_bytes=MIB, timeout_s=5, ports=frozenset({images.port}))

    assert await words(guarded, images.url("/a.png", "localhost")) == "is not at a public address"
    assert await words(guarded, images.url("/a.png", "127.0.0.1")) == "is not at a public address"


@pytest.mark.parametrize(
    "addresses", [["8.8.8.8", "10.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["169.254.169.254"], []]
)
async def test_every_address_of_a_name_is_public(images: ImageServer, addresses: list[str]) -> None:
    """One that is not is enough: which of them is connected to is chance."""
    names = Names(images_test=[addresses])

    told = await words(fetcher(images, public=is_public, resolver=names), images.url("/a.png"))

    assert told == "is not at a public address"
    assert images.hits.total() == 0


async def test_a_name_is_resolved_once(images: ImageServer) -> None:
    """A name that means another host the second time is not asked a second time (DNS rebinding)."""
    names = Names(images_test=[["127.0.0.1"], ["10.0.0.1"]])

    (found,) = await fetch(fetcher(images, resolver=names), images.url("/a.png"))

    assert isinstance(found, Fetched)
    assert names.asked == ["images.test"]


async def test_the_socket_is_guarded_as_well(images: ImageServer) -> None:
    """Were an address to slip past the resolver, no connection is made to it."""
    looks = iter([True, False])

    told = await words(fetcher(images, public=lambda _: next(looks)), images.url("/a.png"))

    assert told == "is not at a public address"
    assert images.hits.total() == 0


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1:{port}/x", "http://inside.test:{port}/x", "http://[::1]:{port}/x"]
)
async def test_a_redirect_to_a_private_address_is_refused(images: ImageServer, target: str) -> None:
    """Each step is held to the same rules."""
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
async def test_what_is_not_fetched(images: ImageServer, url: str, told: str) -> None:
    """Each with its reason, and nothing of the address in it."""
    assert await words(fetcher(images), url.format(port=images.port)) == told


@pytest.mark.parametrize("path", ["/slow", "/silent"])
async def test_a_slow_body_is_cut(images: ImageServer, path: str) -> None:
    """By its own time, whatever has come."""
    begun = time.monotonic()

    assert await words(fetcher(images, timeout_s=0.2), images.url(path)) == "did not come in time"
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("path", ["/slow", "/silent"])
async def test_the_deadline_ends_a_fetch(images: ImageServer, path: str) -> None:
    """Whatever time of its own is left to it."""
    with pytest.raises(TimeoutError):
        await fetch(fetcher(images, timeout_s=60.0), images.url(path), seconds=0.2)


async def test_a_large_body_is_cut(images: ImageServer) -> None:
    """When it announces its size, and when it never ends."""
    told = "is larger than the 1 MiB that are fetched for a request"

    assert await words(fetcher(images), images.url(f"/large/{MIB}")) == told
    assert await words(fetcher(images), images.url("/endless")) == told


async def test_all_together_are_bounded(images: ImageServer) -> None:
    """What is over is told by the order of the addresses, not by which came first."""
    half = MIB // 2
    found = await fetch(
        fetcher(images), *(images.url(f"/large/{half + n}") for n in range(3)), images.url("/a.png")
    )

    assert [type(one) for one in found] == [Fetched, Unfetched, Unfetched, Unfetched]


async def test_an_address_is_fetched_once(images: ImageServer) -> None:
    """However often it is named."""
    found = await fetcher(images).fetch(
        [images.url("/a.png")] * 3, client=CLIENT, until=asyncio.get_running_loop().time() + 5
    )

    assert len(found) == 1
    assert images.hits == {"/a.png": 1}


async def test_slow_images_of_one_client_do_not_delay_another(images: ImageServer) -> None:
    """A client that names a hundred has six places; the other has one at once."""
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
    """Two rounds of slow images take twice the time of one fetch, and the image behind them comes all the same."""
    found = fetcher(images, timeout_s=0.8)
    paths = [*(f"/silent?{n}" for n in range(12)), "/a.png"]

    *slow, last = await asyncio.gather(*(fetch(found, images.url(path)) for path in paths))

    assert [type(one) for (one,) in slow] == [Unfetched] * 12
    assert isinstance(last[0], Fetched)


async def test_the_deadline_ends_the_wait_for_a_place(images: ImageServer) -> None:
    """What waits then is told so, and its turn is nobody's."""
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


async def test_a_slow_name_keeps_its_place(images: ImageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look-up cannot be ended, so its client gets no more threads; asyncio's own are not used, and others go on."""
    asked, threads, go = [], set(), threading.Event()

    def look_up(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        threads.add(threading.current_thread().name)
        if host.startswith("slow"):
            go.wait(30)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    found = fetcher(images, resolver=None, timeout_s=0.5)
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
