"""The head of a request, which is written once for an address and its headers."""

from __future__ import annotations

import aiohttp
import pytest

from proxy.upstream.direct.request_head import destination_of
from tests.proxy.upstream.provider import GOOD, Exchange, calling, providing, whole


def lines_of(head: bytes) -> dict[str, str]:
    """Return the headers in a head by their names."""
    assert head.endswith(b"\r\n\r\n")
    lines = head.decode().removesuffix("\r\n\r\n").split("\r\n")[1:]
    assert len({line.partition(":")[0].lower() for line in lines}) == len(lines)
    return {name: value for name, _, value in (line.partition(": ") for line in lines)}


async def test_head_has_our_name_the_given_headers_and_the_length() -> None:
    """It has what aiohttp adds, our name, and the length of each body; the given headers are over all of it."""
    given = {"Authorization": "Bearer k", "user-agent": "own", "content-length": "7"}
    destination = destination_of("http://h:81/a%20b?alt=sse", given)
    head = destination.head_for(b"12345")

    assert head.startswith(b"POST /a%20b?alt=sse HTTP/1.1\r\n")
    lines = lines_of(head)
    assert lines.pop("Accept-Encoding").startswith("gzip")
    assert lines == {
        "Host": "h:81",
        "Accept": "*/*",
        "Authorization": "Bearer k",
        "user-agent": "own",
        "Content-Length": "5",
    }
    assert lines_of(destination_of("https://h/v1", {}).head_for(b""))["User-Agent"].startswith("turnright/")


async def test_further_headers_are_of_one_request_alone() -> None:
    """They are of one request alone, and the head ends behind them."""
    destination = destination_of("http://h/v1", {"Authorization": "Bearer k"})
    plain = lines_of(destination.head_for(b"12345"))
    more_headers = {"traceparent": "00-a-b-01", "tracestate": "c=d, e=f"}

    assert lines_of(destination.head_for(b"12345", more_headers)) == {**plain, **more_headers}
    assert lines_of(destination.head_for(b"12345", {})) == plain


async def test_nothing_to_send_to() -> None:
    """An address that is none is an error of the connection."""
    with pytest.raises(aiohttp.InvalidURL):
        destination_of("http:///v1", {})


async def test_no_key_is_shown() -> None:
    """What is kept says nothing of its key when it is printed."""
    assert "secret" not in repr(destination_of("http://h/v1", {"Authorization": "Bearer secret"}))


async def test_each_length_is_its_own() -> None:
    """The head is kept for an address, and the next request of another length is sent whole as well."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(whole(GOOD))

    async with providing(script) as provider, calling(provider.port) as direct:
        for _ in range(2):
            await direct.ask(stream=False)
            await direct.ask(stream=True)

    lengths = [int(lines_of(exchange.head)["Content-Length"]) for exchange in provider.exchanges]
    assert lengths == [len(exchange.body) for exchange in provider.exchanges]
    assert len(set(lengths)) == 2
    assert provider.connections == 1
