"""The inspector limits the sizes of queries, and a shutdown waits for the running inspection."""

from __future__ import annotations

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from proxy.inspector import routes
from proxy.inspector.worker_thread import LARGEST_MIB, MAX_MESSAGES
from tests.support.builders import user
from tests.support.proxied import Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

PATHS = ("/ui/api/look", "/ui/api/verdicts")
ASKED = {"request": [user("Hello.")]}


@pytest.mark.parametrize("path", PATHS)
async def test_body_over_the_inspectors_limit_is_refused(upstream: ScriptedUpstream, path: str) -> None:
    """The limit is the same with and without a ``Content-Length``."""
    large = b'{"request":[{"role":"user","content":"' + b"x" * LARGEST_MIB * 2**20 + b'"}]}'

    async def in_pieces() -> AsyncIterator[bytes]:
        for at in range(0, len(large), 2**16):
            yield large[at : at + 2**16]

    async with proxied(settings_of(), upstream) as proxy:
        announced = await proxy.request("POST", path, data=io.BytesIO(large))
        chunked = await proxy.request("POST", path, data=in_pieces())
        fits = await proxy.request("POST", path, data=io.BytesIO(large.replace(b"x" * 2**10, b"", 1)))

    for reply in (announced, chunked):
        assert (reply.status, reply.error["code"]) == (413, "body_too_large")
        assert reply.error["message"] == "The inspector looks at 2 MiB at most."
    assert fits.status == 200


@pytest.mark.parametrize("path", PATHS)
async def test_history_with_too_many_messages_is_refused(upstream: ScriptedUpstream, path: str) -> None:
    """The number of messages has a limit, since even a short message costs time."""
    async with proxied(settings_of(), upstream) as proxy:
        reply = await proxy.post({"request": [user("")] * (MAX_MESSAGES + 1)}, path)

    assert (reply.status, reply.error["code"], reply.error["param"]) == (
        413,
        "body_too_large",
        "request.messages",
    )
    assert "12,000 messages at most; this history has 12,001" in reply.error["message"]


@pytest.mark.parametrize(("path", "work"), [(PATHS[0], "inspect_request"), (PATHS[1], "verdict_row")])
async def test_shutdown_waits_for_the_running_inspection_alone(
    upstream: ScriptedUpstream, monkeypatch: pytest.MonkeyPatch, path: str, work: str
) -> None:
    """A shutdown waits for the running verdict, and no further verdict is made."""
    real, begun, go, count = getattr(routes, work), threading.Event(), threading.Event(), 0

    def slow(*given: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        begun.set()
        go.wait(10)
        return real(*given, **named)

    monkeypatch.setattr(routes, work, slow)
    async with proxied(settings_of(), upstream) as proxy:
        lifecycle = proxy.server.gateway.lifecycle
        asked: asyncio.Task[Reply] = asyncio.ensure_future(proxy.post(ASKED, path))
        await asyncio.to_thread(begun.wait, 10)
        working = len(lifecycle.in_flight)
        lifecycle.draining = True
        go.set()
        reply = await asked
        after = len(lifecycle.in_flight)

    assert (working, after, count) == (1, 0, 1)
    assert reply.status == (200 if work == "inspect_request" else 503)
