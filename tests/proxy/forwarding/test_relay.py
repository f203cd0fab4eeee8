"""Tests of the relay of a stream: which events are held back, when they are sent, and which ends are faults."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from proxy.answers.received_text import FOLD_EVERY
from proxy.answers.texts import Defaults
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Chunk, TextCall
from proxy.forwarding.answer_buffer import AnswerBuffer
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.relay import Relayed, relay_chunks, send_end
from proxy.forwarding.text.stream_text import StreamedText
from proxy.observability.request_record import RequestRecord
from tests.proxy.forwarding.failing import a_deployment

USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


class Out:
    """An event stream that records the events of each write."""

    def __init__(self) -> None:
        self.committed = False
        self.record = RequestRecord("req_1", "/v1/completions", 0.0)
        self.writer = self
        self.held: list[str] = []
        self.writes: list[list[str]] = []

    def write_chunk(self, chunk: Chunk) -> str:
        """Return the text of *chunk*, or ``end`` or ``usage``."""
        return "".join(choice["text"] or "end" for choice in chunk["choices"]) or "usage"

    def hold(self, event: str) -> None:
        """Record *event* as held back."""
        self.held.append(event)

    async def commit(self, event: str = "") -> None:
        """Record one write of all held events and *event*."""
        self.committed = True
        self.writes.append([*self.held, event] if event else [*self.held])
        self.held = []

    async def send(self, event: str, now: float) -> float:
        """Record one write of *event*."""
        self.writes.append([event])
        return now


class Attempt:
    """A stand-in for an attempt, which counts the reports of activity and of the answer's start."""

    began = active = 0

    def note_activity(self) -> None:
        """Count."""
        self.active += 1

    def note_answer_started(self) -> None:
        """Count."""
        self.began += 1


async def stream(*texts: str, end: str | None = "stop") -> AsyncGenerator[Chunk, None]:
    """Yield a chunk for each text, and then the end."""
    for text in texts:
        yield {"choices": [{"index": 0, "text": text, "finish_reason": None}]}
    if end is not None:
        yield {"choices": [{"index": 0, "text": "", "finish_reason": end}], "usage": USAGE}


async def relay(chunks: AsyncGenerator[Chunk, None], out: Out) -> tuple[Relayed, Attempt]:
    """Relay *chunks* as a text completion whose client asks for the usage."""
    call = TextCall(a_deployment(), {"prompt": "x"}, cast(Any, None), ask_usage=True)
    answer, attempt = StreamedText(call, Defaults("id", 1, "m"), include_usage=True), Attempt()
    stream_out = cast(EventStream, out)
    relayed = await relay_chunks(chunks, answer, attempt, stream_out)
    await send_end(answer, relayed, stream_out)
    return relayed, attempt


async def test_blank_beginning_is_sent_with_the_first_text() -> None:
    """Blank chunks at the beginning are sent with the first text. Later chunks follow singly, the usage last."""
    out = Out()

    relayed, attempt = await relay(stream(" ", "\n", "word", "s"), out)

    assert out.writes == [[" ", "\n", "word"], ["s"], ["end"], ["usage"]]
    assert (relayed.opened, attempt.began) == (True, 1)
    assert relayed.usage == USAGE


async def test_text_of_a_long_stream_is_kept_in_few_pieces() -> None:
    """A stream of a thousand words would else keep a thousand small texts until its end."""
    call = TextCall(a_deployment(), {"prompt": "x"}, cast(Any, None))
    answer = StreamedText(call, Defaults("id", 1, "m"), include_usage=False)
    chunks = stream(*["word "] * 1_000, end=None)
    with pytest.raises(UpstreamFault):
        await relay_chunks(chunks, answer, Attempt(), cast(EventStream, Out()))

    assert len(answer.received.pieces) < FOLD_EVERY
    assert answer.received.weight == 5_000


@pytest.mark.parametrize(
    ("chunks", "cause"),
    [
        (stream(end=None), Cause.TRUNCATED),
        (stream(" ", end=None), Cause.TRUNCATED),
        (stream("half", end=None), Cause.TRUNCATED),
    ],
    ids=["nothing came", "nothing was said", "no end"],
)
async def test_stream_without_a_finish_reason_is_a_fault(
    chunks: AsyncGenerator[Chunk, None], cause: Cause
) -> None:
    """A stream without a finish reason is a fault, since a client would take its text for a complete answer."""
    with pytest.raises(UpstreamFault) as raised:
        await relay(chunks, Out())

    assert raised.value.cause is cause


async def test_empty_text_stream_of_gemini_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty text stream of Gemini is not sent, so that the request can be retried unnoticed."""
    monkeypatch.setattr("proxy.forwarding.text.stream_text.may_be_empty", lambda _: False)
    out = Out()

    with pytest.raises(AnswerUnusable):
        await relay(stream(" "), out)

    assert out.writes == []


async def test_answer_that_is_checked_whole_stays_in_its_buffer() -> None:
    """An answer that is checked as a whole stays in its buffer, and the relay sends nothing to the client."""
    out, held = Out(), AnswerBuffer()
    call = TextCall(a_deployment(), {"prompt": "x"}, cast(Any, None))
    answer = StreamedText(call, Defaults("id", 1, "m"), include_usage=False)

    async def chat() -> AsyncGenerator[Chunk, None]:
        yield {"choices": [{"index": 0, "text": "a", "delta": {}, "finish_reason": "stop"}]}

    monkeypatched = answer.normalize
    answer.normalize = lambda chunk: {**cast(Chunk, monkeypatched(chunk)), **chunk}
    relayed = await relay_chunks(chat(), answer, Attempt(), cast(EventStream, out), held)
    await send_end(answer, relayed, cast(EventStream, out), held)

    assert (out.writes, out.committed, len(held.chunks())) == ([], False, 1)
