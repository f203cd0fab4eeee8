"""Tests of the error for a cancelled request: deadline, shutdown, or a client that has left."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from aiohttp import web

from proxy.forwarding.end_request import find_cancel_error
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.observability.request_record import RequestRecord
from proxy.server.app import create_gateway
from tests.support.proxied import CHAT, settings_of
from tests.support.scripted_upstream import ScriptedUpstream


@pytest.mark.parametrize(
    ("overdue", "cutting", "begun", "code", "words"),
    [
        (True, False, False, "deadline_exceeded", "within 7 seconds (router_settings.timeout)"),
        (True, True, False, "deadline_exceeded", "router_settings.timeout"),
        (False, True, False, "overloaded", "The proxy is shutting down."),
        (False, True, True, "overloaded", "the answer is incomplete"),
        (False, False, False, None, ""),
    ],
)
async def test_cancelled_request_gets_the_error_of_its_cause(
    *, overdue: bool, cutting: bool, begun: bool, code: str | None, words: str
) -> None:
    """The task's cancellation is undone where an error is to be written, and stays where the client has left."""
    gateway = create_gateway(settings_of(router_settings={"timeout": 7}), ScriptedUpstream())
    gateway.lifecycle.cutting = cutting
    record = RequestRecord("req_1", CHAT, 0.0, overdue=overdue)
    held: dict[Any, object] = {GATEWAY: gateway, RECORD: record}
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.sleep(0)
    error = find_cancel_error(cast(web.Request, held), begun=begun)

    assert (error.code if error is not None else None) == code
    assert words in str(error)
    assert task.cancelling() == (error is None)
    while task.cancelling():
        task.uncancel()
