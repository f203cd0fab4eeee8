"""Forwards one request for embeddings or a text completion, and answers with the first good answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from aiohttp import web

from proxy.answers.embeddings import weight_of
from proxy.answers.texts import Defaults, check_text
from proxy.core.offload import run_offloaded
from proxy.core.text_request import TextRequest
from proxy.core.upstream_call import Answer, TextCall
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.answer_stamp import stamp_answer
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.end_stream import finish_stream
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.limits.settle_request import free_place
from proxy.forwarding.metering.used_by_attempt import AttemptUse
from proxy.forwarding.plan_attempt import plan_attempt
from proxy.forwarding.text.completing import complete_text, may_be_empty
from proxy.forwarding.text.embedding import embed
from proxy.forwarding.text.plan_attempts import TextAttemptPlanner
from proxy.forwarding.text.plans import TextPlan, plan_embeddings, plan_text
from proxy.forwarding.text.stream_text import stream_completion
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.forwarding.write_events import write_answer

Ask: TypeAlias = Callable[[TextCall, AttemptUse], Awaitable[Answer]]
"""Makes a call, notes what is known of its use, and returns its checked answer."""


async def forward_embeddings(
    request: web.Request, asked: TextRequest, body: bytes, answer_format: ClientFormat[TextRequest]
) -> web.StreamResponse:
    """Answer *asked*, whose request body was *body*, in *answer_format*.

    Raises :class:`proxy.core.errors.ProxyError` where no answer was begun.
    """
    gateway = request[GATEWAY]
    upstream = gateway.upstream
    make_plan = partial(plan_embeddings, unsupported=upstream.unsupported_embedding)
    planner = TextAttemptPlanner(asked, make_plan, gateway.settings, request[RECORD].allowed)
    attempts = Attempts(planner, body, request[RECORD], gateway)

    async def ask(call: TextCall, _: AttemptUse) -> Answer:
        return await embed(upstream, call)

    return await _answer_whole(attempts, ask, answer_format)


async def forward_completion(
    request: web.Request, asked: TextRequest, body: bytes, answer_format: ClientFormat[TextRequest]
) -> web.StreamResponse:
    """Answer *asked*, whose request body was *body*, in *answer_format*, streaming or whole.

    Raises :class:`proxy.core.errors.ProxyError` where no answer was begun.
    """
    record, gateway = request[RECORD], request[GATEWAY]
    upstream = gateway.upstream
    make_plan = partial(plan_text, unsupported=upstream.unsupported)
    planner = TextAttemptPlanner(asked, make_plan, gateway.settings, record.allowed)
    # The planner refuses unknown models, so it is made before the stream and its timer.
    out = EventStream(request, answer_format, record) if asked.stream else None
    attempts = Attempts(planner, body, record, gateway, out)
    planner.asks_usage = attempts.limits is not None
    stamp = stamp_answer(record, answer_format)
    defaults = partial(Defaults, stamp.id, stamp.created)
    if out is not None:
        answer_stream = partial(stream_completion, out, attempts, defaults, include_usage=asked.include_usage)
        return await finish_stream(out, answer_stream, attempts.deadline, record)

    async def ask(call: TextCall, use: AttemptUse) -> Answer:
        use.answer = answer = await complete_text(upstream, call)
        return check_text(
            answer, defaults(call.deployment.model_id), may_be_empty=may_be_empty(call.deployment)
        )

    return await _answer_whole(attempts, ask, answer_format)


async def _answer_whole(
    attempts: Attempts[TextPlan, TextCall],
    ask: Ask,
    answer_format: ClientFormat[TextRequest],
) -> web.StreamResponse:
    record = attempts.record
    answer = await _first_answer(attempts, ask)
    usage = answer.get("usage") or {}
    record.usage = usage if any(usage.values()) else {}
    record.status = 200
    written = await run_offloaded(weight_of(answer), partial(write_answer, answer_format, answer))
    if record.admission is not None:
        await free_place(record, attempts.gateway)
    return WholeAnswer(written, record.answer_headers(attempts.clock()))


async def _first_answer(attempts: Attempts[TextPlan, TextCall], ask: Ask) -> Answer:
    """Return the result of *ask* for the first attempt that succeeds."""
    while True:
        async with await plan_attempt(attempts) as attempt:
            asked = attempts.clock()
            try:
                return await ask(attempt.call, attempt.use)
            finally:
                attempts.record.upstream_wait += attempts.clock() - asked
