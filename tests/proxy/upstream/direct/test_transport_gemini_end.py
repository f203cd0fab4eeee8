"""Gemini's streams end with their body; one whose body stays open ends soon after its candidates have.

Soon, where the end is certain: usage came with it, or a reason that nobody sends with every event. Else later.
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
SOON = 0.15
AT_ONCE_S = 15.0
"""What an end that is seen may take on a busy machine: half of the silence that ends an answer otherwise."""


def said(*candidates: dict[str, Any], **fields: Any) -> bytes:
    """Write one event."""
    return piece(b"data: " + json.dumps({"candidates": list(candidates), **fields}).encode() + b"\r\n\r\n")


def candidate(text: str, reason: str | None = None, index: int = 0) -> dict[str, Any]:
    """Build what one candidate says."""
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
    """Return the chunks and the seconds that they took."""
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
async def test_body_left_open(then: str) -> None:
    """After STOP a stream that goes on for nothing, or breaks, is a finished answer, soon, with its usage."""
    script = leaving_open(
        said(candidate("Good ")), said(candidate("day.", "STOP"), usageMetadata=USAGE), then=then
    )
    chunks, took = await ask(script)

    assert reasons(chunks) == ["stop"]
    assert chunks[-1]["usage"]["total_tokens"] == 7
    assert took < AT_ONCE_S


@pytest.mark.parametrize("fields", [{}, {"usageMetadata": USAGE}], ids=["uncertain", "certain"])
async def test_idle_limit_below_the_wait(fields: dict[str, Any]) -> None:
    """A finished answer is finished, whichever limit the silence behind it meets first."""
    chunks, _ = await ask(leaving_open(said(candidate("Good day.", "STOP"), **fields)), idle_s=0.05)

    assert reasons(chunks) == ["stop"]


@pytest.mark.parametrize("last", [{}, {"usageMetadata": USAGE}], ids=["no usage", "usage"])
async def test_stop_with_every_event(last: dict[str, Any]) -> None:
    """Some servers say STOP each time: no pause between two events cuts the text, and silence still ends it."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), said(candidate("Good ", "STOP")))
        for text in ("day", " to"):
            await asyncio.sleep(SOON * 2)
            await exchange.send(said(candidate(text, "STOP"), **last))
        await asyncio.sleep(SOON * 2)
        await exchange.send(said(candidate(" you.", "STOP")))
        await exchange.gone()

    chunks, took = await ask(script, idle_s=2.5)

    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert (text, reasons(chunks)) == ("Good day to you.", ["stop"])
    assert took > SOON * 6 + 2.5


async def test_usage_behind_stop() -> None:
    """Usage in an event of its own says as much as in that of STOP."""
    chunks, took = await ask(leaving_open(said(candidate("Good day.", "STOP")), said(usageMetadata=USAGE)))

    assert reasons(chunks) == ["stop"]
    assert took < AT_ONCE_S


async def test_pings_behind_an_uncertain_stop() -> None:
    """What keeps itself alive behind the end is waited for as long as silence."""
    chunks, took = await ask(leaving_open(said(candidate("Good day.", "STOP")), then="ping"), idle_s=0.5)

    assert reasons(chunks) == ["stop"]
    assert took < AT_ONCE_S


async def test_what_comes_behind_the_end() -> None:
    """Events that come behind STOP in time still count: more text, a second STOP, usage."""

    async def script(exchange: Exchange) -> None:
        await exchange.send(head(), said(candidate("Good ", "STOP")))
        for part in (candidate("day."), candidate("", "STOP")):
            await asyncio.sleep(SOON * 0.6)
            await exchange.send(piece(b": ping\n\n"), said(part))
        await exchange.send(said(usageMetadata=USAGE))
        await exchange.gone()

    chunks, took = await ask(script, idle_s=2)

    text = "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])
    assert (text, reasons(chunks)) == ("Good day.", ["stop"])
    assert chunks[-1]["usage"]["total_tokens"] == 7
    assert took < AT_ONCE_S


async def test_other_candidates_are_waited_for() -> None:
    """As long as a candidate that was asked for has not ended, nothing is: silence is then a broken answer."""
    for parts in (
        [said(candidate("a", "STOP"))],
        [said(candidate("a", "STOP"), candidate("b", index=1))],
    ):
        with pytest.raises(UpstreamTimeout) as raised:
            await ask(leaving_open(*parts), count=2, idle_s=0.6)
        assert raised.value.cause is Cause.IDLE_TIMEOUT

    both = [said(candidate("a", "STOP")), said(candidate("b", "STOP", index=1))]
    chunks, _ = await ask(leaving_open(*both), count=2, idle_s=2)
    assert reasons(chunks) == ["stop", "stop"]


async def test_stream_of_a_blocked_prompt_waits_for_no_candidate() -> None:
    """A prompt that was blocked has no candidate to wait for."""
    chunks, took = await ask(leaving_open(said(promptFeedback={"blockReason": "SAFETY"})))

    assert reasons(chunks) == ["content_filter"]
    assert took < AT_ONCE_S


async def test_end_that_is_none_fails_soon() -> None:
    """A reason that is no end of an answer is said to be one as soon."""
    with pytest.raises(ProxyError) as raised:
        await ask(leaving_open(said(candidate("", "MALFORMED_FUNCTION_CALL"))))

    assert not isinstance(raised.value, UpstreamTimeout)
