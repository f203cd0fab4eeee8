"""Tests of the delivery of a whole response to clients that leave or do not read."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest
from aiohttp import web

from proxy.forwarding import deliver as delivery
from proxy.forwarding.deliver import deliver
from proxy.forwarding.gateway import RECORD
from proxy.observability.request_record import CLIENT_DISCONNECTED, RequestRecord
from tests.support.proxied import CHAT


class Request(dict[Any, Any]):
    """A request whose transport counts its aborts."""

    def __init__(self) -> None:
        super().__init__({RECORD: RequestRecord("req_1", CHAT, 0.0)})
        self.aborts = 0
        self.transport = SimpleNamespace(abort=self._abort, get_write_buffer_size=lambda: 1)

    def _abort(self) -> None:
        self.aborts += 1


async def leave() -> None:
    """Raise the error of a write to a client that has disconnected."""
    raise ConnectionResetError


@pytest.mark.parametrize(
    ("write", "aborts"), [(leave, 0), (asyncio.Event().wait, 1)], ids=["left", "reads nothing"]
)
async def test_client_that_takes_no_answer_is_counted_as_disconnected(
    monkeypatch: pytest.MonkeyPatch, write: Any, aborts: int
) -> None:
    """The connection of a client that does not read is aborted at the time limit."""
    monkeypatch.setattr(delivery, "_LONGEST_S", 0.01)
    monkeypatch.setattr(web.Response, "prepare", lambda *_: write())
    request = Request()
    response = web.Response(body=b"{}")

    delivered = deliver(cast(web.Request, request), response, request[RECORD], draining=False)
    assert await delivered is response
    assert request[RECORD].outcome == CLIENT_DISCONNECTED
    assert request.aborts == aborts


async def test_response_that_was_begun_is_not_written_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A response that was begun is not written again, since the stream's own code writes its end."""
    monkeypatch.setattr(web.StreamResponse, "prepared", True)
    monkeypatch.setattr(web.Response, "prepare", lambda *_: leave())
    request = Request()
    await deliver(cast(web.Request, request), web.Response(), request[RECORD], draining=False)

    assert request[RECORD].outcome == "ok"
