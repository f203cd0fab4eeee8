"""Tests that codex is told to wait in a stream, since it gives up on a 429."""

from __future__ import annotations

from typing import Any

import pytest
from aiohttp.test_utils import make_mocked_request

from proxy.core.errors import ProxyError, UpstreamFault
from proxy.core.key_errors import BudgetExceeded, RateLimited
from proxy.forwarding.gateway import RECORD
from proxy.ingress.routes.responses.wait_in_stream import waits_unread
from proxy.observability.request_record import RequestRecord
from tests.proxy.ingress.routes.responses.asking import MODEL, PATH, serving
from tests.support.proxied import Reply
from tests.support.responses_grammar import events_of, find_stream_faults
from tests.support.scripted_upstream import answer

CODEX = {"originator": "codex_exec"}
STREAMED = {**CODEX, "Accept": "text/event-stream"}


def busy(status: int = 429, **headers: str) -> UpstreamFault:
    """Return a provider's refusal with *status* and *headers*."""
    fault = UpstreamFault("Slow down.", upstream_status=status)
    fault.headers.update({name.replace("_", "-"): value for name, value in headers.items()})
    return fault


async def ask(fault: UpstreamFault, headers: dict[str, str], **fields: Any) -> Reply:
    """Ask where the provider answers with *fault*."""
    async with serving([fault]) as (proxy, _):
        return await proxy.post({"model": MODEL, "input": "Hello.", "stream": True, **fields}, PATH, headers)


async def test_codex_gets_the_wait_in_a_stream() -> None:
    """The stream is whole: codex takes a stream without a beginning for a broken connection."""
    reply = await ask(busy(Retry_After="7"), CODEX)

    assert (reply.status, find_stream_faults(reply.raw)) == (200, [])
    last = events_of(reply.raw)[-1]
    assert (last["type"], last["response"]["error"]["code"]) == ("response.failed", "rate_limit_exceeded")
    assert "try again in 7s" in last["response"]["error"]["message"]


@pytest.mark.parametrize(
    ("fault", "headers", "fields"),
    [
        (busy(Retry_After="7"), {}, {}),
        (busy(Retry_After="7"), {"originator": "mine"}, {}),
        (busy(Retry_After="7"), CODEX, {"stream": False}),
        (busy(Retry_After="3600"), CODEX, {}),
        (busy(x_should_retry="false"), CODEX, {}),
    ],
    ids=["no name", "another client", "whole", "long wait", "permanent"],
)
async def test_every_other_refusal_stays_a_429(
    fault: UpstreamFault, headers: dict[str, str], fields: dict[str, Any]
) -> None:
    assert (await ask(fault, headers, **fields)).status == 429


async def test_another_failure_keeps_its_status() -> None:
    """Codex repeats a request after a 503 by itself."""
    assert (await ask(busy(503), CODEX)).status == 503


async def test_failure_is_counted_and_nothing_is_stored() -> None:
    async with serving([busy(Retry_After="7")], [answer("Hi.")]) as (proxy, _):
        reply = await proxy.post({"model": MODEL, "input": "x", "stream": True}, PATH, CODEX)
        failed = events_of(reply.raw)[-1]["response"]["id"]
        await proxy.idle()
        stored = await proxy.get(f"{PATH}/{failed}")
        counted = await proxy.metrics()

    assert stored.status == 404
    outcomes = {dict(labels).get("outcome") for (_, labels), value in counted.items() if value}
    assert "rate_limit_exceeded" in outcomes


@pytest.mark.parametrize(
    ("route", "headers", "error", "expected"),
    [
        (PATH, STREAMED, RateLimited("requests", 1.5), True),
        (PATH, STREAMED, RateLimited("tokens", 121), False),
        (PATH, STREAMED, BudgetExceeded(5), False),
        (PATH, STREAMED, busy(Retry_After="7"), False),
        (PATH, {**STREAMED, "Accept": "application/json"}, RateLimited("requests", 1.5), False),
        (PATH, CODEX, RateLimited("requests", 1.5), False),
        (PATH, {"Accept": "text/event-stream"}, RateLimited("requests", 1.5), False),
        ("/v1/responses/compact", STREAMED, RateLimited("requests", 1.5), False),
    ],
    ids=["wait", "long wait", "budget", "provider", "whole", "no type", "another client", "another path"],
)
def test_unread_request_of_codex_waits_for_its_own_limit_alone(
    route: str, headers: dict[str, str], error: ProxyError, expected: bool
) -> None:
    """The body is not read yet, so ``Accept`` says that a stream is asked for. Other errors keep their status."""
    request = make_mocked_request("POST", route, headers=headers)
    request[RECORD] = RequestRecord("req_1", route, 0.0)

    assert waits_unread(request, error) is expected
