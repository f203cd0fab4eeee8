"""Tests of a request's attempts over a real socket: which failures are retried, and what the client gets."""

from __future__ import annotations

import pytest

from proxy.core.errors import (
    AnswerUnusable,
    ConversionFailed,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.core.failures import Cause
from tests.proxy.forwarding.attempting import (
    BOTH,
    PRIMARY,
    good,
    models,
    refused,
    text_of,
)
from tests.support.proxied import MODEL, Proxied, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, Step, answer

RETRIED: dict[str, Step] = {
    "503": refused(503),
    "500": refused(500),
    "429": refused(429, body={"error": {"details": [{"retryDelay": "0.1s"}]}}),
    "timeout": UpstreamTimeout("Late.", cause=Cause.IDLE_TIMEOUT),
    "unreachable": UpstreamUnreachable("Gone."),
    "lost": UpstreamUnreachable("Broke.", cause=Cause.CONNECTION_LOST),
    "garbage": UpstreamFault("What?"),
    "malformed": AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL),
    "truncated": UpstreamFault("Half.", cause=Cause.TRUNCATED),
}


@BOTH
@pytest.mark.parametrize("fault", RETRIED.values(), ids=RETRIED)
async def test_one_failure_of_a_chat_shows_in_the_number_of_attempts_alone(
    proxy: Proxied, upstream: ScriptedUpstream, fault: Step, stream: bool
) -> None:
    """A single failure is retried. The client sees the failure only in the attempts header."""
    upstream.then(fault)
    upstream.then(*good(stream))
    reply = await proxy.post(chat(stream=stream))

    assert text_of(reply) == "fine"
    assert reply.headers["x-turnright-attempts"] == "2"
    assert models(upstream) == [PRIMARY, PRIMARY]


@BOTH
async def test_fallback_follows_after_two_retries(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """After two retries the fallback answers, and the headers and counters name the fallback."""
    for _ in range(3):
        upstream.then(refused(503))
    upstream.then(*good(stream))
    reply = await proxy.post(chat(stream=stream))

    assert text_of(reply) == "fine"
    assert models(upstream) == [PRIMARY] * 3 + ["gpt-4.1"]
    assert reply.headers["x-turnright-model"] == "openai/gpt-4.1"
    assert reply.headers["x-turnright-attempts"] == "4"
    assert await proxy.count("retries_total", model=MODEL, reason="unavailable") == 2
    assert await proxy.count("fallbacks_total", model=MODEL, reason="unavailable") == 1
    assert await proxy.count("upstream_attempts_total", model=MODEL, outcome="unavailable") == 3
    assert await proxy.count("upstream_attempts_total", model="spare", outcome="ok") == 1


AT_ONCE: dict[str, Step] = {
    "quota": refused(429, "Quota exceeded: PerDay, retry in 45s."),
    "key": refused(401),
    "forbidden": refused(403),
    "gone": refused(404),
    "no credit": refused(402),
}


@BOTH
@pytest.mark.parametrize("fault", AT_ONCE.values(), ids=AT_ONCE)
async def test_fault_that_no_retry_can_mend_falls_back_at_once(
    proxy: Proxied, upstream: ScriptedUpstream, fault: Step, stream: bool
) -> None:
    """A fault that no retry can fix leads to the fallback at once, without a second call to the same model."""
    upstream.then(fault)
    upstream.then(*good(stream))

    assert text_of(await proxy.post(chat(stream=stream))) == "fine"
    assert models(upstream) == [PRIMARY, "gpt-4.1"]


async def test_filtered_prompt_is_not_sent_to_a_fallback(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """A filtered prompt is sent once, and the client gets the provider's message."""
    upstream.then(refused(400, "No.", {"error": {"code": "content_filter"}}))
    reply = await proxy.post(chat())

    assert len(upstream.calls) == 1
    assert (reply.error["code"], reply.error["message"]) == ("content_filter", "No.")


@BOTH
async def test_rate_limited_member_of_a_pool_is_replaced_without_delay(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """A rate-limited deployment is replaced by another of its pool at once, and rests for its cooldown."""
    upstream.then(refused(429, "Quota exceeded: PerDay, retry in 45s."))
    upstream.then(*good(stream))

    assert text_of(await proxy.post(chat(model="pool", stream=stream))) == "fine"
    assert sorted(models(upstream)) == ["pool-0", "pool-1"]
    first = models(upstream)[0]
    upstream.then(*good(stream))
    await proxy.post(chat(model="pool", stream=stream))
    assert models(upstream)[2] != first, "a parked deployment is left alone"
    states = {
        value for (name, _), value in (await proxy.metrics()).items() if name == "turnright_circuit_state"
    }
    assert states == {0, 2}


async def test_single_deployment_is_called_though_its_circuit_is_open(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A single deployment is called even if its circuit is open, so that each request makes at least one call."""
    for _ in range(30):
        upstream.then(refused(503))
        await proxy.post(chat(model="long"))
    upstream.script.clear()
    upstream.then(answer("fine"))

    assert text_of(await proxy.post(chat(model="long"))) == "fine"


async def test_retry_budget_limits_the_calls_of_an_outage(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """The retry budget limits an outage: thirty requests to a failing provider do not make ninety calls."""
    for _ in range(90):
        upstream.then(refused(500))
    replies = [await proxy.post(chat(model="long")) for _ in range(30)]

    assert {reply.status for reply in replies} == {500}
    assert 30 + 10 <= len(upstream.calls) <= 30 + 14


async def test_body_that_was_refused_twice_is_refused_without_a_call(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A body that was refused twice is refused without a call. Another body is still sent."""
    for _ in range(2):
        upstream.then(refused(400, "Bad turn order."))
        assert (await proxy.post(chat("poison", model="long"))).status == 400
    reply = await proxy.post(chat("poison", model="long"))

    assert len(upstream.calls) == 2
    assert (reply.status, reply.error["message"]) == (400, "Bad turn order.")
    assert reply.headers["x-should-retry"] == "false"
    assert reply.headers["x-turnright-attempts"] == "0"
    assert text_of(await proxy.post(chat("healthy", model="long"))) == "Good day."


async def test_refused_request_without_a_repair_is_not_sent_again(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    upstream.then(refused(400, "Something about it is invalid."))
    await proxy.post(chat(model="long"))

    assert len(upstream.calls) == 1


async def test_retry_delay_that_is_too_long_goes_to_the_client(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A delay that is too long for a retry goes to the client as ``Retry-After``, which SDKs obey."""
    body = {"error": {"details": [{"retryDelay": "90.2s"}]}}
    upstream.then(refused(429, "Slow down.", body))
    reply = await proxy.post(chat(model="long"))

    assert len(upstream.calls) == 1
    assert (reply.status, reply.headers["Retry-After"]) == (429, "91")
    assert reply.error["code"] == "rate_limit_exceeded"
    assert reply.headers["x-should-retry"] == "true"


async def test_refusal_of_a_request_with_a_note_is_not_remembered(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """A refusal of a request with the proxy's note is not remembered, since the refused body is not the client's."""
    for _ in range(3):
        upstream.then(AnswerUnusable("Bad call.", cause=Cause.MALFORMED_CALL))
        upstream.then(refused(400, "This template wants something else."))
        await proxy.post(chat("Do it.", model="long"))

    assert len(upstream.calls) == 6


@pytest.mark.parametrize("elsewhere", [refused(503), refused(401), UpstreamUnreachable("Gone.")], ids=repr)
async def test_client_gets_the_requests_own_fault_and_not_its_fallbacks(
    proxy: Proxied, upstream: ScriptedUpstream, elsewhere: UpstreamFault
) -> None:
    """The client gets its own request's fault, even if the fallbacks fail for another reason.

    A client would retry a fallback's failure for ever.
    """
    for _ in range(2):
        upstream.then(refused(400, "The image is too large."))
        for _ in range(3):
            upstream.then(elsewhere)
        reply = await proxy.post(chat("poison"))
        assert (reply.status, reply.error["message"]) == (400, "The image is too large.")
        assert reply.headers["x-should-retry"] == "false"
        upstream.script.clear()


async def test_fallback_that_cannot_take_the_history_is_skipped(upstream: ScriptedUpstream) -> None:
    """A fallback that cannot take the history is skipped.

    If no model answers, the client gets the first model's error with its headers.
    """
    image = [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}]
    models = {"a": "openai/a", "b": "gemini/gemini-2.5-pro", "c": "openai/c"}
    chains = [{"a": ["b", "c"]}, {"b": ["c"]}]
    settings = settings_of(models, router_settings={"num_retries": 0, "fallbacks": chains})
    async with proxied(settings, upstream) as proxy:
        upstream.then(refused(503))
        assert text_of(await proxy.post(chat(image, model="a"))) == "Good day."
        assert text_of(await proxy.post(chat(image, model="b"))) == "Good day."
        assert [call.deployment.model_id for call in upstream.calls] == ["a", "c", "c"]
        body = {"error": {"details": [{"retryDelay": "40s"}]}}
        for _ in range(2):
            upstream.then(refused(429, "Slow down.", body))
        reply = await proxy.post(chat(image, model="a"))
    assert (reply.status, reply.headers["Retry-After"]) == (429, "40")


@BOTH
async def test_conversion_failure_falls_back_or_becomes_status_400(
    proxy: Proxied, upstream: ScriptedUpstream, stream: bool
) -> None:
    """A conversion failure leads to the fallback without a second call to the same model.

    Without a fallback the client gets status 400.
    """
    upstream.then(ConversionFailed("Cannot be converted."))
    upstream.then(*good(stream))
    assert text_of(await proxy.post(chat(stream=stream))) == "fine"
    assert models(upstream) == [PRIMARY, "gpt-4.1"]

    upstream.then(ConversionFailed("Cannot be converted."))
    reply = await proxy.post(chat(model="long", stream=stream))
    assert (reply.status, reply.error["code"]) == (400, "conversion_failed")
    assert len(upstream.calls) == 3


async def test_retry_budget_limits_a_pools_retries_of_unblamed_failures(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """The retry budget limits retries of a 408, which opens no circuit."""
    for _ in range(120):
        upstream.then(refused(408))
    for _ in range(40):
        await proxy.post(chat(model="pool"))

    assert len(upstream.calls) <= 40 + 2 * 12


async def test_known_refusal_under_status_500_is_answered_without_a_call(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    for _ in range(2):
        upstream.then(refused(500, "Bad turn order.", {"error": {"code": 400, "message": "Bad turn order."}}))
        await proxy.post(chat("poison", model="long"))
    reply = await proxy.post(chat("poison", model="long"))

    assert len(upstream.calls) == 2
    assert reply.headers["x-turnright-attempts"] == "0"
    assert reply.headers["x-should-retry"] == "false"
