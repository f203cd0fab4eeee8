"""Tests the ends of Gemini's streams whose body stays open.

The stream ends soon if its end is certain: after usage, or after a reason that is not sent with every event.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from proxy.core.errors import ProxyError, UpstreamTimeout
from proxy.core.failures import Cause
from proxy.upstream.direct import transport as direct
from tests.proxy.upstream.provider import Exchange, Script, calling, head, piece, providing

MODEL = "gemini/gemini-2.5-pro"
SOON = 0.05
AT_ONCE_S = 15.0
"""Seconds that a recognized end may take on a busy machine. The idle limit is twice as long."""


def said(*candidates: dict[str, Any], **fields: Any) -> bytes:
    """Return one event of a stream."""
    return piece(b"data: " + json.dumps({"candidates": list(candidates), **fields}).encode() + b"\r\n\r\n")


def candidate(text: str, reason: str | None = None, index: int = 0) -> dict[str, Any]:
    """Return one candidate of an event."""
    end = {"finishReason": reason} if reason else {}
    return {"index": index, "content": {"role": "model", "parts": [{"text": text}]}, **end}


USAGE = {"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_AFTER_FINISH_S", SOON)


def leaving_open(*parts: bytes, then: str = "wait") -> Script:
    """Return a script that sends events one by one and never ends the body."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), *parts)
        if then == "reset":
            exchange.reset()
        elif then == "ping":
            while True:
                await exchange.send(piece(b": ping\n\n"))
        await exchange.gone()

    return script


async def ask(script: Script, count: int = 1, **limits: float) -> tuple[list[Any], float]:
    """Return the chunks of one call, and the seconds that the call took."""
    async with (
        providing(script) as provider,
        calling(
            f"http://127.0.0.1:{provider.port}/v1beta", limits, model=MODEL, parameters={"n": count}
        ) as call,
    ):
        asked = time.monotonic()
        try:
            chunks = await call.ask(stream=True)
        finally:
            await provider.ended()
    return chunks, time.monotonic() - asked


def reasons(chunks: list[Any]) -> list[str]:
    """Return the finish reasons in order."""
    found = [choice["finish_reason"] for chunk in chunks for choice in chunk["choices"]]
    return [reason for reason in found if reason]


@pytest.mark.parametrize("then", ["wait", "ping", "reset"])
async def test_body_left_open_after_the_usage_ends_soon(then: str) -> None:
    """Silence, comments or a reset after the usage do not delay the end of a body that stays open."""
    script = leaving_open(
        said(candidate("Good ")), said(candidate("day.", "STOP"), usageMetadata=USAGE), then=then
    )
    chunks, took = await ask(script)

    assert reasons(chunks) == ["stop"]
    assert chunks[-1]["usage"]["total_tokens"] == 7
    assert took < AT_ONCE_S


@pytest.mark.parametrize("fields", [{}, {"usageMetadata": USAGE}], ids=["uncertain", "certain"])
async def test_idle_limit_after_the_finish_reason_is_no_error(fields: dict[str, Any]) -> None:
    """The idle limit after a finish reason is no error, since the answer is complete."""
    chunks, _ = await ask(leaving_open(said(candidate("Good day.", "STOP"), **fields)), idle_s=0.02)

    assert reasons(chunks) == ["stop"]


@pytest.mark.parametrize("last", [{}, {"usageMetadata": USAGE}], ids=["no usage", "usage"])
async def test_stop_with_every_event_ends_at_the_idle_limit(last: dict[str, Any]) -> None:
    """A stop with every event ends the stream at the idle limit, so that a pause does not cut the text."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), said(candidate("Good ", "STOP")))
        for text in ("day", " to"):
            await asyncio.sleep(SOON * 2)
            await exchange.send(said(candidate(text, "STOP"), **last))
        await asyncio.sleep(SOON * 2)
        await exchange.send(said(candidate(" you.", "STOP")))
        await exchange.gone()

    chunks, took = await ask(script, idle_s=1)

    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert (text, reasons(chunks)) == ("Good day to you.", ["stop"])
    assert took > SOON * 6 + 1


async def test_usage_after_stop_makes_the_end_certain() -> None:
    """Usage after a stop ends the stream, also if it comes in an event of its own."""
    chunks, took = await ask(leaving_open(said(candidate("Good day.", "STOP")), said(usageMetadata=USAGE)))

    assert reasons(chunks) == ["stop"]
    assert took < AT_ONCE_S


async def test_comments_after_an_uncertain_stop_do_not_extend_the_wait() -> None:
    """Comments after an uncertain stop do not extend the wait beyond the idle limit."""
    chunks, took = await ask(leaving_open(said(candidate("Good day.", "STOP")), then="ping"), idle_s=0.2)

    assert reasons(chunks) == ["stop"]
    assert took < AT_ONCE_S


async def test_events_after_stop_still_count() -> None:
    """Events after a stop still count: more text, a second STOP, and the usage."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), said(candidate("Good ", "STOP")))
        for part in (candidate("day."), candidate("", "STOP")):
            await asyncio.sleep(SOON * 0.6)
            await exchange.send(piece(b": ping\n\n"), said(part))
        await exchange.send(said(usageMetadata=USAGE))
        await exchange.gone()

    chunks, took = await ask(script, idle_s=0.5)

    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert (text, reasons(chunks)) == ("Good day.", ["stop"])
    assert chunks[-1]["usage"]["total_tokens"] == 7
    assert took < AT_ONCE_S


async def test_stream_ends_only_when_all_candidates_have_ended() -> None:
    """A stream ends after all its candidates have ended. Silence before that is an idle timeout."""
    for parts in ([said(candidate("a", "STOP"))], [said(candidate("a", "STOP"), candidate("b", index=1))]):
        with pytest.raises(UpstreamTimeout) as raised:
            await ask(leaving_open(*parts), count=2, idle_s=0.2)
        assert raised.value.cause is Cause.IDLE_TIMEOUT

    both = [said(candidate("a", "STOP")), said(candidate("b", "STOP", index=1), usageMetadata=USAGE)]
    chunks, _ = await ask(leaving_open(*both), count=2, idle_s=1)
    assert reasons(chunks) == ["stop", "stop"]


async def test_stream_of_a_blocked_prompt_waits_for_no_candidate() -> None:
    """The stream of a blocked prompt ends soon, since it has no candidates to wait for."""
    chunks, took = await ask(leaving_open(said(promptFeedback={"blockReason": "SAFETY"})))

    assert reasons(chunks) == ["content_filter"]
    assert took < AT_ONCE_S


async def test_finish_reason_of_a_fault_fails_soon() -> None:
    """A finish reason that is a fault fails soon, with that fault and not a timeout."""
    with pytest.raises(ProxyError) as raised:
        await ask(leaving_open(said(candidate("", "MALFORMED_FUNCTION_CALL"))))

    assert not isinstance(raised.value, UpstreamTimeout)
