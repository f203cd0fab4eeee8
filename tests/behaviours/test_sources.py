"""Tests that the bytes of one client format are never sent as another format.

The tests use an invented client format, called toy, on real sockets.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from proxy.ingress import formats
from tests.proxy.upstream.provider import Exchange, Provider, before, providing, whole
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import MODEL, Proxied, chat
from tests.support.scripted_upstream import answer
from tests.support.toy_format import TOY, TOY_PATH

pytestmark = pytest.mark.usefixtures("_toy")

LURE = b'"model":"gemini","messages":[{"role":"user","content":"Another history."}]'
"""A part of the toy's body that OpenAI's wire could mistake for a history."""


@pytest.fixture
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the toy format to the table of client formats."""
    monkeypatch.setitem(formats.FORMATS, TOY_PATH, TOY)


@pytest.fixture
async def provider() -> AsyncIterator[Provider]:
    """Serve an OpenAI-compatible provider."""
    reply = whole(json.dumps(answer("Good day.")).encode())

    async def script(exchange: Exchange) -> None:
        await exchange.send(reply)

    async with providing(script) as serving:
        yield serving


@pytest.fixture
async def proxy(provider: Provider) -> AsyncIterator[Proxied]:
    """Serve the proxy in front of the provider."""
    async with before(provider.port) as serving:
        yield serving


async def test_body_of_a_toy_never_goes_out_by_openai_s_wire(proxy: Proxied, provider: Provider) -> None:
    """A body in the toy format is rebuilt for OpenAI's wire, though a part of it looks like OpenAI's format."""
    reply = await proxy.post(b'{"ask":"%s","about":"Hi.",%s}' % (MODEL.encode(), LURE), TOY_PATH)

    assert reply.status == 200
    [exchange] = provider.exchanges
    assert json.loads(exchange.body)["messages"] == [user("Hi.")]


async def test_body_of_openai_s_own_client_goes_out_as_it_came(proxy: Proxied, provider: Provider) -> None:
    """The body of OpenAI's own format goes out with its history byte for byte."""
    spelled = b'[ {"role":"user",\t"content":"\\u0048i."} ]'
    reply = await proxy.post(b'{"model":"%s","messages":%s}' % (MODEL.encode(), spelled))

    assert reply.status == 200
    assert spelled in provider.exchanges[0].body


async def test_history_that_was_changed_goes_out_as_it_is_now(proxy: Proxied, provider: Provider) -> None:
    """A changed history is written anew, and the client's bytes are not sent."""
    asks, waits, result = assistant(None, [call("a")]), user("Wait."), tool("a")
    reply = await proxy.post({**chat(), "messages": [user("Hi."), asks, waits, result]})

    assert "x-turnright-changes" in reply.headers
    assert json.loads(provider.exchanges[0].body)["messages"] == [user("Hi."), asks, result, waits]
