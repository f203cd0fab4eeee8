"""Tests of a request's head, which is written once for a URL and its headers."""

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
    """Given headers replace the default headers, but not the content length."""
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


async def test_more_headers_are_sent_with_one_request_only() -> None:
    """Headers of one request are not added to the kept head."""
    destination = destination_of("http://h/v1", {"Authorization": "Bearer k"})
    plain = lines_of(destination.head_for(b"12345"))
    more_headers = {"traceparent": "00-a-b-01", "tracestate": "c=d, e=f"}

    assert lines_of(destination.head_for(b"12345", more_headers)) == {**plain, **more_headers}
    assert lines_of(destination.head_for(b"12345", {})) == plain


async def test_url_without_a_host_is_invalid() -> None:
    """The error is one of aiohttp's, which the transport translates."""
    with pytest.raises(aiohttp.InvalidURL):
        destination_of("http:///v1", {})


async def test_repr_of_a_destination_holds_no_key() -> None:
    """The head, which holds the key, is left out."""
    assert "secret" not in repr(destination_of("http://h/v1", {"Authorization": "Bearer secret"}))


async def test_each_request_has_the_length_of_its_own_body() -> None:
    """The kept head ends before the length."""

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
