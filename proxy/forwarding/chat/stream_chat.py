"""One answer, streamed: attempts, until one opens; then its chunks as they come.

The beginning is held back until it says something, so that an upstream error keeps its status and an empty or
malformed answer can be tried again unseen. How a stream ends is :mod:`proxy.forwarding.stream_end`'s.
A client that leaves cancels the upstream call at once. Where self-correction looks at streams as well, an answer is
held back whole (:mod:`proxy.forwarding.chat.answer_buffer`), and comments keep the connection open meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import aclosing

from aiohttp import web

from proxy.answers.find_empty import OpeningWatch
from proxy.answers.normalize import ChunkNormalizer
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.json_text import write_json
from proxy.core.upstream_call import UpstreamCall
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_buffer import AnswerBuffer
from proxy.forwarding.chat.answer_signatures import call_ids, names_back, take_notes
from proxy.forwarding.chat.correct_answer import correct_answer, is_corrected
from proxy.forwarding.chat.gate_answer import ends_turn, gate_of, note_held, stream_last_words
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.next_chunk import next_chunk
from proxy.forwarding.stream_end import finish_stream
from proxy.observability.request_record import RequestRecord
from proxy.planning.plan import Plan
from sanitizers.turns import ChunkGate


async def stream_answer(
    out: EventStream,
    attempts: Attempts[Plan, UpstreamCall],
    record: RequestRecord,
    gateway: Gateway,
    *,
    fallback_id: str,
    created: int,
    include_usage: bool,
) -> web.StreamResponse:
    """Stream the answer of the first attempt that opens to *out*, and return the finished response.

    Raises :class:`proxy.core.errors.ProxyError` for a failure before the response began; later ones become the stream's
    last event.
    """
    spare: Sequence[bytes] = ()

    async def call(upstream_call: UpstreamCall) -> None:
        nonlocal spare
        plan = record.plan
        normalizer = ChunkNormalizer(
            fallback_id=fallback_id,
            created=created,
            model=upstream_call.deployment.model_id,
            include_usage=include_usage,
            ids=call_ids(upstream_call, record, gateway),
            names=names_back(plan),
        )
        gate = gate_of(record)
        calls = ChunkGate(gate) if gate is not None else None
        held = AnswerBuffer() if is_corrected(plan, gateway.settings, stream=True) else None
        try:
            await _relay(upstream_call, normalizer, calls, out, held, attempts, record, gateway)
        except BaseException as fault:
            out.discard()  # at once: while the next attempt is waited for, what is held would go out by itself
            if held is not None and isinstance(fault, AnswerUnusable) and fault.answer is not None:
                spare = held.chunks()
            raise
        finally:
            if calls is not None:
                note_held(tuple(calls.changes), record)

    async def answer() -> None:
        try:
            await attempts.run(call, may_repeat=lambda: not out.committed)
        except UpstreamFault as fault:
            if isinstance(fault, AnswerUnusable) and fault.answer is not None:
                await out.commit(_write_held(spare, out))
            elif not out.committed and ends_turn(fault, record):
                last_words = stream_last_words(record, fallback_id=fallback_id, created=created)
                await out.commit(b"".join(map(out.writer.write_chunk, last_words)))
            else:
                raise

    return await finish_stream(out, answer, attempts.deadline, record)


async def _relay(
    call: UpstreamCall,
    normalizer: ChunkNormalizer,
    calls: ChunkGate | None,
    out: EventStream,
    held: AnswerBuffer | None,
    attempts: Attempts[Plan, UpstreamCall],
    record: RequestRecord,
    gateway: Gateway,
) -> None:
    """Send the chunks of one call to the client as they come, from the first that says something.

    *calls* is what they go through. With *held* they are sent when all have come and their calls have been looked at.
    """
    clock = asyncio.get_running_loop().time
    watch, notes = OpeningWatch(), normalizer.notes
    began = opened = False
    opened_at = 0.0
    async with aclosing(gateway.upstream.stream(call)) as chunks:
        asked = clock()
        while True:
            chunk, now = await next_chunk(chunks, record, asked, clock)
            if chunk is None:
                break
            normalized = normalizer.normalize(chunk)
            if notes.signed or notes.changes:
                await take_notes(notes, call, record, gateway)
            if calls is not None and normalized is not None:
                normalized = calls.pass_chunk(normalized)
            if normalized is not None:
                if not opened and watch.opens(normalized):
                    opened, opened_at = True, now
                    attempts.note_answer_started()
                elif not opened and watch.missing is not Cause.EMPTY:
                    attempts.note_activity()
                if out.committed:
                    asked = await out.send(out.writer.write_chunk(normalized), now)
                    continue
                began = True
                if held is not None:
                    held.add(normalized, write_json(normalized))
                    if held.is_full:
                        await out.commit(_write_held(held.chunks(), out))
                elif opened:
                    await out.commit(out.writer.write_chunk(normalized))
                else:
                    out.hold(out.writer.write_chunk(normalized))
            asked = clock()
    if not out.committed and not began:
        raise AnswerUnusable("The provider's stream ended without an answer.", cause=Cause.EMPTY)
    if not normalizer.finished:
        raise UpstreamFault(
            "The provider's stream broke off before the answer was complete.", cause=Cause.TRUNCATED
        )
    record.usage = normalizer.usage or {}
    if opened:
        record.writing_s = now - opened_at
    usage = normalizer.last_chunk()
    if usage is not None:
        if out.committed:
            await out.send(out.writer.write_chunk(usage), clock())
        elif held is not None:
            held.add(usage, write_json(usage))
        else:
            out.hold(out.writer.write_chunk(usage))
    if not out.committed:
        if not opened and (call.is_gemini or watch.missing is not Cause.EMPTY):
            raise AnswerUnusable("The model's answer says nothing.", cause=watch.missing)
        if held is None:
            await out.commit()
        else:
            corrected = await correct_answer(held.whole(), record)
            await out.commit(_write_held(held.chunks(corrected), out))


def _write_held(chunks: Iterable[bytes], out: EventStream) -> bytes:
    """Return the events of *chunks*, which an answer buffer held back as JSON."""
    return b"".join(map(out.writer.write_encoded, chunks))
