"""One request and its answer: the attempts are made, and what the first good one says goes to the client."""

from __future__ import annotations

import asyncio
import time

from aiohttp import web

from proxy.answers.find_empty import find_empty
from proxy.answers.normalize import normalize_answer
from proxy.core.chat_request import ChatRequest
from proxy.core.errors import AnswerUnusable, UpstreamFault
from proxy.core.failures import Cause
from proxy.core.upstream_call import Answer, UpstreamCall
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.chat.answer_signatures import call_ids, names_back, take_notes
from proxy.forwarding.chat.correct_answer import correct_answer, is_corrected
from proxy.forwarding.chat.gate_answer import ends_turn, pass_calls, write_last_words
from proxy.forwarding.chat.plan_attempts import ChatAttemptPlanner
from proxy.forwarding.chat.stream_chat import stream_answer
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.observability.request_record import RequestRecord

_SAID_NOTHING = {
    Cause.EMPTY: "The provider's answer holds nothing.",
    Cause.THINKING_ONLY: "The model's answer holds thoughts, and neither text nor a call.",
}


async def forward(
    request: web.Request,
    chat: ChatRequest,
    body: bytes,
    answer_format: ClientFormat[ChatRequest],
    record: RequestRecord,
    gateway: Gateway,
) -> web.StreamResponse:
    """Answer *chat*, whose bytes were *body*, in *answer_format*, streaming or whole.

    *record* has what the turn guard made of it. Raises :class:`proxy.core.errors.ProxyError` where no answer has been
    started. All six parameters are the route's, and no two of them belong together.
    """
    attempts = Attempts(ChatAttemptPlanner(chat, record, gateway), body, record, gateway)
    fallback_id = f"{answer_format.id_prefix}{record.request_id.removeprefix('req_')}"
    created = int(time.time())  # noqa: TID251 - `created` is a wall-clock field of OpenAI's format
    if chat.stream:
        return await stream_answer(
            EventStream(request, answer_format, record),
            attempts,
            record,
            gateway,
            fallback_id=fallback_id,
            created=created,
            include_usage=chat.include_usage,
        )

    loop = asyncio.get_running_loop()

    async def call(upstream_call: UpstreamCall) -> Answer:
        asked = loop.time()
        try:
            answer = await gateway.upstream.complete(upstream_call)
        finally:
            record.upstream_wait += loop.time() - asked
        plan = record.plan
        answer, notes = normalize_answer(
            answer,
            fallback_id=fallback_id,
            created=created,
            model=upstream_call.deployment.model_id,
            ids=call_ids(upstream_call, record, gateway),
            names=names_back(plan),
        )
        if notes.signed or notes.changes:
            await take_notes(notes, upstream_call, record, gateway)
        answer = pass_calls(answer, record)
        check_answer(answer, upstream_call)
        if is_corrected(plan, gateway.settings, stream=False):
            return await correct_answer(answer, record)
        return answer

    try:
        answer = await attempts.run(call, may_repeat=lambda: True)
    except UpstreamFault as fault:
        if isinstance(fault, AnswerUnusable) and fault.answer is not None:
            answer = dict(fault.answer)
        elif ends_turn(fault, record):
            answer = write_last_words(record, fallback_id=fallback_id, created=created)
        else:
            raise
    record.usage = answer.get("usage") or {}
    record.status = 200
    return WholeAnswer(answer_format.write_answer(answer), record.answer_headers(loop.time()))


def check_answer(answer: Answer, call: UpstreamCall) -> None:
    """Raise :class:`AnswerUnusable` for an answer that says nothing.

    An empty ``stop`` is a glitch of Gemini's (python-genai#1289); elsewhere a model may have nothing to add, after a
    tool's result for one, and what it says is passed on.
    """
    cause = find_empty(answer)
    if cause is None:
        return
    if not answer["choices"]:
        raise AnswerUnusable(_SAID_NOTHING[Cause.EMPTY], cause=Cause.EMPTY)
    tolerable = not call.is_gemini
    if cause is Cause.EMPTY and tolerable:
        return
    raise AnswerUnusable(_SAID_NOTHING[cause], cause=cause, answer=answer if tolerable else None)
