"""One request for embeddings or a text, and its answer: what the first good attempt says goes to the client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

from aiohttp import web

from proxy.answers.embeddings import weight_of
from proxy.answers.texts import Defaults, check_text
from proxy.core.offload import run_offloaded
from proxy.core.text_request import TextRequest
from proxy.core.upstream_call import Answer, TextCall
from proxy.forwarding.answer_format import ClientFormat
from proxy.forwarding.attempts import Attempts
from proxy.forwarding.event_stream import EventStream
from proxy.forwarding.gateway import Gateway
from proxy.forwarding.text.completing import complete_text, may_be_empty
from proxy.forwarding.text.embedding import embed
from proxy.forwarding.text.plan_attempts import TextAttemptPlanner
from proxy.forwarding.text.plans import TextPlan, plan_embeddings, plan_text
from proxy.forwarding.text.stream_text import stream_completion
from proxy.forwarding.whole_answer import WholeAnswer
from proxy.observability.request_record import RequestRecord


async def forward_embeddings(
    asked: TextRequest,
    body: bytes,
    answer_format: ClientFormat[TextRequest],
    record: RequestRecord,
    gateway: Gateway,
) -> web.StreamResponse:
    """Answer *asked*, whose bytes were *body*, in *answer_format*; raises :class:`proxy.core.errors.ProxyError`."""
    make_plan = partial(plan_embeddings, unsupported=gateway.upstream.unsupported_embedding)
    planning = TextAttemptPlanner(asked, make_plan, gateway.settings)
    attempts: Attempts[TextPlan, TextCall] = Attempts(planning, body, record, gateway)

    async def call(upstream_call: TextCall) -> Answer:
        return await embed(gateway.upstream, upstream_call)

    return await _answer_whole(attempts, call, answer_format, record)


async def forward_completion(
    request: web.Request,
    asked: TextRequest,
    body: bytes,
    answer_format: ClientFormat[TextRequest],
    record: RequestRecord,
    gateway: Gateway,
) -> web.StreamResponse:
    """Answer *asked*, whose bytes were *body*, in *answer_format*, streaming or whole.

    Raises :class:`proxy.core.errors.ProxyError` where no answer has been started. All six parameters are the route's,
    and no two of them belong together.
    """
    make_plan = partial(plan_text, unsupported=gateway.upstream.unsupported)
    planning = TextAttemptPlanner(asked, make_plan, gateway.settings)
    attempts: Attempts[TextPlan, TextCall] = Attempts(planning, body, record, gateway)
    created = int(time.time())  # noqa: TID251 - `created` is a wall-clock field of OpenAI's format

    def defaults(upstream_call: TextCall) -> Defaults:
        made = f"{answer_format.id_prefix}{record.request_id.removeprefix('req_')}"
        return Defaults(made, created, upstream_call.deployment.model_id)

    if asked.stream:
        out = EventStream(request, answer_format, record)
        return await stream_completion(out, attempts, record, gateway, defaults)

    async def call(upstream_call: TextCall) -> Answer:
        answer = await complete_text(gateway.upstream, upstream_call)
        may = may_be_empty(upstream_call.deployment)
        return check_text(answer, defaults(upstream_call), may_be_empty=may)

    return await _answer_whole(attempts, call, answer_format, record)


async def _answer_whole(
    attempts: Attempts[TextPlan, TextCall],
    call: Callable[[TextCall], Awaitable[Answer]],
    answer_format: ClientFormat[TextRequest],
    record: RequestRecord,
) -> web.StreamResponse:
    loop = asyncio.get_running_loop()

    async def timed(upstream_call: TextCall) -> Answer:
        asked = loop.time()
        try:
            return await call(upstream_call)
        finally:
            record.upstream_wait += loop.time() - asked

    answer = await attempts.run(timed, may_repeat=lambda: True)
    usage = answer.get("usage") or {}
    record.usage = usage if any(usage.values()) else {}
    record.status = 200
    written = await run_offloaded(weight_of(answer), partial(answer_format.write_answer, answer))
    return WholeAnswer(written, record.answer_headers(loop.time()))
