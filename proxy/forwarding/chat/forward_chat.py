"""Forwards one chat: makes its attempts, and answers the client with the first good answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from aiohttp import web

from proxy.core.chat_request import ChatRequest
from proxy.core.upstream_call import Answer
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.answer_stamp import stamp_answer
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_whole import answer_whole
from proxy.forwarding.chat.commission_summaries import commission_summary
from proxy.forwarding.chat.conversation_memory import ConversationMemory, RequestMemory
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.chat.stream_chat import stream_chat
from proxy.forwarding.end_stream import finish_stream
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import GATEWAY, RECORD, Gateway
from proxy.forwarding.limits.settle_request import free_place
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.forwarding.write_events import write_answer
from proxy.observability.request_record import RequestRecord

Keep: TypeAlias = Callable[[Answer | None], Awaitable[None]]
"""Stores an answer that is complete, before the client gets its last bytes.

It is called with a whole answer before that is written. After a stream it is called without one, since the writer has
seen the answer.
"""


async def forward_chat(
    request: web.Request,
    chat: ChatRequest,
    body: bytes,
    answer_format: ClientFormat[ChatRequest],
    keep: Keep | None = None,
) -> web.StreamResponse:
    """Answer *chat*, whose request body was *body*, in *answer_format*, streaming or whole.

    The record of *request* holds the turn guard's result. A client may send its next request as soon as it has the
    answer, so *keep* is awaited before the last event, or before a whole answer. Raises
    :class:`proxy.core.errors.ProxyError` where no answer was begun.
    """
    record, gateway = request[RECORD], request[GATEWAY]
    memory = None if gateway.compaction.is_off else _memory_of(chat, record, gateway)
    planner = ChatAttemptPlanner(chat, record, gateway, memory)
    # The planner refuses unknown models, so it is made before the stream and its timer.
    out = EventStream(request, answer_format, record) if chat.stream else None
    attempts = Attempts(planner, body, record, gateway, out)
    stamp = stamp_answer(record, answer_format)
    if out is not None:
        answer_stream = partial(stream_chat, out, attempts, stamp, include_usage=chat.include_usage)
        if keep is not None:
            answer_stream = partial(_stream_and_keep, answer_stream, keep)
        return await finish_stream(out, answer_stream, attempts.deadline, record)
    answer = await answer_whole(attempts, stamp)
    record.usage = answer.get("usage") or {}
    record.status = 200
    if keep is not None:
        await keep(answer)
    if record.admission is not None:
        await free_place(record, gateway)
    return WholeAnswer(write_answer(answer_format, answer), record.answer_headers(attempts.clock()))


async def _stream_and_keep(answer_stream: Callable[[], Awaitable[None]], keep: Keep) -> None:
    await answer_stream()
    await keep(None)


def _memory_of(chat: ChatRequest, record: RequestRecord, gateway: Gateway) -> RequestMemory | None:
    """Return the look-up of the conversation's memory, or None where the settings allow no memory for the request."""
    policy = gateway.compaction.find(chat.model, record.model, record.key)
    if policy is None or gateway.settings.sanitize.mode != "repair":
        return None
    jobs = gateway.summaries
    look_up = ConversationMemory(
        chat, record.key, gateway.store, policy, jobs.conversations, jobs.prefixes, gateway.instructions
    )
    return RequestMemory(look_up, jobs, partial(commission_summary, gateway=gateway))
