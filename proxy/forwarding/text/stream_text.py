"""One text completion, streamed: attempts, until one opens; then its chunks as they come.

The rules are those of chats (:mod:`proxy.forwarding.chat.stream_chat`); there is nothing to correct in a text, so that
it is never held back whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from aiohttp import web

from proxy.answers.texts import Defaults, TextChunks, opens
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import TextCall
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.next_chunk import next_chunk
from proxy.forwarding.stream_end import finish_stream
from proxy.forwarding.text.completing import may_be_empty, stream_text
from proxy.forwarding.text.plans import TextPlan
from proxy.observability.request_record import RequestRecord


async def stream_completion(
    out: EventStream,
    attempts: Attempts[TextPlan, TextCall],
    record: RequestRecord,
    gateway: Gateway,
    defaults: Callable[[TextCall], Defaults],
) -> web.StreamResponse:
    """Stream the text of the first attempt that opens to *out*, and return the finished response.

    Raises :class:`proxy.core.errors.ProxyError` for a failure before the response began; later ones become the stream's
    last event.
    """

    async def call(upstream_call: TextCall) -> None:
        chunks = TextChunks(defaults(upstream_call), include_usage=upstream_call.ask_usage)
        try:
            await _relay(upstream_call, chunks, out, attempts, record, gateway)
        except BaseException:
            out.discard()  # at once: while the next attempt is waited for, what is held would go out by itself
            raise

    async def answer() -> None:
        await attempts.run(call, may_repeat=lambda: not out.committed)

    return await finish_stream(out, answer, attempts.deadline, record)


async def _relay(
    call: TextCall,
    text: TextChunks,
    out: EventStream,
    attempts: Attempts[TextPlan, TextCall],
    record: RequestRecord,
    gateway: Gateway,
) -> None:
    """Send the chunks of one call to the client as they come, from the first that says something."""
    clock = asyncio.get_running_loop().time
    may = may_be_empty(call.deployment)
    opened, opened_at = False, 0.0
    async with aclosing(stream_text(gateway.upstream, call)) as chunks:
        asked = clock()
        while True:
            chunk, now = await next_chunk(chunks, record, asked, clock)
            if chunk is None:
                break
            normalized = text.normalize(chunk)
            if normalized is not None:
                event = out.writer.write_chunk(normalized)
                if not opened and opens(normalized, may_be_empty=may):
                    opened, opened_at = True, now
                    attempts.note_answer_started()
                if out.committed:
                    asked = await out.send(event, now)
                    continue
                if opened:
                    await out.commit(event)
                else:
                    out.hold(event)
            asked = clock()
    if not text.finished:
        raise UpstreamFault(
            "The provider's stream broke off before the answer was complete.", cause=Cause.TRUNCATED
        )
    if not out.committed:
        raise AnswerUnusable("The provider's answer holds nothing.", cause=Cause.EMPTY)
    record.usage = text.usage or {}
    if opened:
        record.writing_s = now - opened_at
    usage = text.last_chunk()
    if usage is not None:
        await out.send(out.writer.write_chunk(usage), clock())
