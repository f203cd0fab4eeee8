"""Tests of one attempt of a request: its deadline, its measured wait, and its end."""

from __future__ import annotations

from contextlib import suppress

import aiohttp
import pytest
from aiohttp import web

from proxy.core.errors import UpstreamUnreachable
from tests.proxy.conftest import LogLines
from tests.proxy.forwarding.attempting import BOTH, refused, settings_with_fallbacks
from tests.support.least import least_of
from tests.support.proxied import Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import HANG, STOP, Pause, ScriptedUpstream, say


@BOTH
async def test_deadline_ends_all_attempts_together(upstream: ScriptedUpstream, stream: bool) -> None:
    """Attempts and their waits share the request's deadline."""
    router = {"num_retries": 50, "timeout": 0.7, "first_byte_timeout": 0.2}
    for _ in range(50):
        upstream.then(HANG)
    async with proxied(settings_of(router_settings=router), upstream) as proxy:
        reply = await proxy.post(chat(stream=stream))

    assert (reply.status, reply.error["code"]) == (504, "upstream_timeout")


async def test_wait_for_a_failed_attempt_is_not_counted_as_overhead(upstream: ScriptedUpstream) -> None:
    """The overhead header leaves out the time that the provider took before it failed."""

    async def overhead_ms() -> float:
        upstream.then(Pause(0.25), refused(401))
        upstream.then(say("fine"), STOP)
        async with proxied(settings_with_fallbacks(), upstream) as proxy:
            return float((await proxy.post(chat(stream=True))).headers["x-turnright-overhead-ms"])

    assert await least_of(overhead_ms, bound=200) < 200


@pytest.mark.parametrize("already", [False, True], ids=["headers", "event"])
async def test_client_that_left_before_a_write_is_counted_as_a_disconnect(
    proxy: Proxied,
    upstream: ScriptedUpstream,
    monkeypatch: pytest.MonkeyPatch,
    log_lines: LogLines,
    already: bool,
) -> None:
    """A failed write of the headers or of an event counts as the client's disconnect, not as an internal error."""

    async def gone(*_: object) -> None:
        raise ConnectionResetError

    monkeypatch.setattr(web.StreamResponse, "write" if already else "prepare", gone)
    upstream.then(say("fine "), say("fine"), STOP)
    with suppress(aiohttp.ClientError):
        await proxy.post(chat(stream=True))
    monkeypatch.undo()
    await proxy.idle()

    assert await proxy.count("upstream_attempts_total", outcome="cancelled") == 1
    assert await proxy.count("upstream_attempts_total", outcome="internal_error") == 0
    assert await proxy.count("requests_total", outcome="client_disconnected") == 1
    assert [line for line in log_lines() if line["level"] == "error"] == []


async def test_stream_that_breaks_after_its_first_text_is_not_tried_again(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A retry would send the text to the client twice. The stream ends with an error event."""
    upstream.then(say("half "), UpstreamUnreachable("It broke."))
    reply = await proxy.post(chat(stream=True))

    assert len(upstream.calls) == 1
    assert [event.get("error", {}).get("code") for event in reply.events] == [None, "upstream_unreachable"]
