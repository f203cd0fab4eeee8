"""``POST /v1/responses``: answers a request of the Responses API, and stores the response where it is asked for."""

from __future__ import annotations

from functools import partial

from aiohttp import web

from proxy.core.errors import ProxyError
from proxy.core.upstream_call import Answer
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.openai_responses.answer import ResponsesAnswers
from proxy.ingress.openai_responses.compaction import CompactionAnswers, ask_for_summary
from proxy.ingress.routes.guard_and_forward import guard_and_forward
from proxy.ingress.routes.responses.open_request import (
    OpenedRequest,
    open_request,
    renamed_errors,
)
from proxy.ingress.routes.responses.wait_in_stream import stream_failure, waits_in_stream
from proxy.observability.logs import get_log
from proxy.state.sessions.responses import ResponseRecord
from proxy.state.sessions.session_errors import SessionsUnavailable
from proxy.state.sessions.sessions import Sessions


async def create_response(request: web.Request) -> web.StreamResponse:
    """Read the request and its stored conversation, forward it as a chat, and return the response object or its events.

    A response is stored before the client gets the last of it, since the next request may come at once
    (litellm#12364).
    """
    gateway = request[GATEWAY]
    opened = await open_request(request)
    sessions = gateway.sessions if opened.fields.store and opened.can_be_kept else None
    if opened.converted.projection.wants_compaction:
        chat = ask_for_summary(opened.chat)
        answers: ResponsesAnswers = opened.make_answers(
            CompactionAnswers, gateway, stores=sessions is not None
        )
    else:
        chat = opened.chat
        answers = opened.make_answers(ResponsesAnswers, gateway, stores=sessions is not None)
    keep = None if sessions is None else partial(_keep, answers, opened, sessions, request[RECORD].key)
    try:
        with renamed_errors(opened):
            return await guard_and_forward(request, chat, opened.body, answers, keep)
    except ProxyError as error:
        if not (chat.stream and waits_in_stream(request, error)):
            raise
        return await stream_failure(request, answers, error)


async def _keep(
    answers: ResponsesAnswers, opened: OpenedRequest, sessions: Sessions, tenant: str, answer: Answer | None
) -> None:
    """Store the finished response. Where that fails, the response object says ``store: false``."""
    response = answers.finish(answer)
    if response is None:
        return
    fields, resolved = opened.fields, opened.resolved
    record = ResponseRecord(
        response["id"],
        resolved.own,
        response["output"],
        response,
        response["model"],
        response["created_at"],
        fields.previous_response_id,
        fields.conversation,
        weight=len(fields.body),
    )
    try:
        is_kept = await sessions.keep_response(tenant, record, resolved.history)
    except SessionsUnavailable:
        is_kept = False
    if not is_kept:
        response["store"] = False
        get_log().warning("response_not_stored", id=response["id"])
