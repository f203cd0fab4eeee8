"""Sends the chunks of one stream to its client as they come, for chats and for text completions.

The beginning is held back until a chunk holds text or a call. Until then an upstream error can still set the HTTP
status, and an empty answer can be retried.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from proxy.answers.normalize_answer import AnswerFindings
from proxy.answers.received_text import FOLD_EVERY, ReceivedText
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.source import SOURCE, AnswerSource
from proxy.core.upstream_call import Chunk
from proxy.forwarding.answer_buffer import AnswerBuffer
from proxy.forwarding.answer_format import StreamWriter
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.next_chunk import next_chunk
from proxy.forwarding.write_events import Held, find_native, write_held

_BROKEN = "The provider's stream broke off before the answer was complete."


class StreamedAnswer(Protocol):
    """One streamed answer: normalizes its chunks, and decides whether they are an answer."""

    @property
    def normalize(self) -> Callable[[Chunk], Chunk | None]:
        """Returns the chunk for the client, or None where the chunk holds nothing for the client."""

    @property
    def findings(self) -> AnswerFindings:
        """The signatures and changes of the chunks so far."""

    @property
    def usage(self) -> Mapping[str, Any] | None:
        """The usage that the provider reported last, if any."""

    @property
    def received(self) -> ReceivedText:
        """The text that came after the last report of usage."""

    def opens(self, chunk: Chunk, /) -> bool:
        """Return True where *chunk*, normalized, holds text, a call or a finish reason that allows an empty answer."""

    @property
    def has_reasoned(self) -> bool:
        """True where the model has only reasoned so far."""

    async def keep_notes(self) -> None:
        """Store the signatures and changes in :attr:`findings`, and clear both.

        Called before the client gets the chunk to which the findings belong.
        """

    def head_chunk(self) -> Chunk:
        """Return a chunk without choices, for a native event without a counterpart in a chat message."""

    def last_chunk(self) -> Chunk | None:
        """Return the usage chunk, where the client asked for it and the provider reported usage."""

    def find_broken(self, *, began: bool) -> UpstreamFault | None:
        """Return the fault of a stream that ended before its answer was complete, otherwise None.

        *began* says that at least one chunk was for the client.
        """

    def find_unopened(self) -> AnswerUnusable | None:
        """Return the error for an answer that ended before it began, or None where the empty answer is valid."""


class StreamedAttempt(Protocol):
    """The part of an attempt that a stream reports to (:class:`proxy.forwarding.attempt.Attempt`)."""

    def note_activity(self) -> None:
        """Record that first bytes arrived."""

    def note_answer_started(self) -> None:
        """Record that the answer has begun."""


@dataclass(frozen=True, slots=True)
class Relayed:
    """The facts of a stream that came to its end."""

    usage: Mapping[str, Any]
    opened: bool
    """True where the answer held text, a call or a finish reason that allows an empty answer."""

    writing_s: float | None
    """Seconds from the chunk that opened the answer to the end, or None where no chunk did."""


def broken_off() -> UpstreamFault:
    """Return the fault of a stream that ended before its answer was complete."""
    return UpstreamFault(_BROKEN, cause=Cause.TRUNCATED)


async def relay_chunks(
    chunks: AsyncGenerator[Chunk, None],
    answer: StreamedAnswer,
    attempt: StreamedAttempt,
    out: EventStream,
    held: AnswerBuffer | None = None,
) -> Relayed:
    """Send *chunks* to *out* once a chunk opens the answer, or keep the chunks in *held*.

    Raises :class:`UpstreamFault` for a stream without an answer, and for a stream that breaks off.
    """
    clock = asyncio.get_running_loop().time
    record, findings, normalize = out.record, answer.findings, answer.normalize
    began = opened = False
    opened_at = 0.0
    async with aclosing(chunks):
        asked = clock()
        while True:
            chunk, now = await next_chunk(chunks, record, asked, clock)
            if chunk is None:
                break
            if not record.chunks % FOLD_EVERY:
                answer.received.fold()
            normalized = normalize(chunk)
            if findings.signed or findings.changes or findings.thoughts:
                await answer.keep_notes()
            native = None
            if SOURCE in chunk:
                native = find_native(out.writer.format, chunk, normalized)
                if native is not None and normalized is None:
                    normalized = answer.head_chunk()
            if normalized is not None:
                if not opened:
                    opened = answer.opens(normalized)
                    if opened:
                        opened_at = now
                        attempt.note_answer_started()
                    elif answer.has_reasoned:
                        attempt.note_activity()
                if out.committed:
                    asked = await out.send(_write(normalized, native, out.writer), now)
                    continue
                began = began or bool(normalized["choices"])
                await _send_or_hold(normalized, native, out, held, opened=opened)
            asked = clock()
    if (fault := answer.find_broken(began=began or out.committed)) is not None:
        raise fault
    return Relayed(answer.usage or {}, opened, now - opened_at if opened else None)


async def send_end(
    answer: StreamedAnswer, relayed: Relayed, out: EventStream, held: AnswerBuffer | None = None
) -> None:
    """Send the usage chunk and the held events to *out*, or keep the usage chunk in *held*.

    Raises :class:`AnswerUnusable` for an answer that never began, unless an empty answer is valid.
    """
    usage = answer.last_chunk()
    if usage is not None:
        await _send_or_hold(usage, None, out, held, opened=out.committed)
    if out.committed:
        return
    if not relayed.opened and (fault := answer.find_unopened()) is not None:
        raise fault
    if held is None:
        await out.commit()


async def send_held(chunks: Iterable[Held], out: EventStream) -> None:
    """Send to *out* the *chunks* that an answer buffer has held back."""
    await out.commit(write_held(out.writer, chunks))


async def _send_or_hold(
    chunk: Chunk, native: AnswerSource | None, out: EventStream, held: AnswerBuffer | None, *, opened: bool
) -> None:
    """Send the normalized *chunk*, or hold it back.

    *out* holds the chunk while the answer is not *opened*. Where the answer is sent whole, *held* keeps the chunk.
    """
    if held is not None and not out.committed:
        held.add(chunk, write_json(chunk), native)
        if held.is_full:
            await send_held(held.chunks(), out)
    elif opened:
        await out.commit(_write(chunk, native, out.writer))
    else:
        out.hold(_write(chunk, native, out.writer))


def _write(chunk: Chunk, native: AnswerSource | None, writer: StreamWriter) -> bytes:
    return writer.write_chunk(chunk) if native is None else writer.write_native(native.event, chunk)
