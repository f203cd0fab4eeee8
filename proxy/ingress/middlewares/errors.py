"""Answers every error that is raised before an answer starts, in the client's format."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.core.errors import (
    BodyTooLarge,
    InternalFault,
    InvalidRequest,
    MethodNotAllowed,
    ModelUnavailable,
    NotFound,
    ProxyError,
)
from proxy.forwarding.end_request import find_cancel_error
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.forwarding.json_response import written_response
from proxy.forwarding.limits.settle_request import free_place
from proxy.ingress.formats import FORMATS, RESPONSES
from proxy.ingress.middlewares.key_limits import note_standing
from proxy.ingress.page_headers import PRIVATE
from proxy.ingress.refusals import write_refusal
from proxy.ingress.routes.responses.wait_in_stream import stream_failure, waits_unread
from proxy.observability.logs import get_log, report_fault
from proxy.resilience.client_error import SDK_RETRIES


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Run *handler*. Answer a proxy or HTTP error with its own status, and any unexpected error with 500."""
    try:
        return await handler(request)
    except ProxyError as error:
        record = request[RECORD]
        if record.admission is not None:  # before the client can send its next request
            await free_place(record, request[GATEWAY])
        if waits_unread(request, error):
            return await stream_failure(request, FORMATS[RESPONSES], error)
        return _answer(request, error)
    except web.HTTPException as error:
        return _answer(request, _from_http(request, error))
    except web.RequestPayloadError:
        return _answer(request, InvalidRequest("The body is not what its headers say: it cannot be decoded."))
    except asyncio.CancelledError:
        ended_by = find_cancel_error(request)
        if ended_by is None:
            raise
        return _answer(request, ended_by)
    except ConnectionResetError:
        raise
    except Exception as error:  # noqa: BLE001 - the last net: a defect of ours must not become a traceback
        request_id = request[RECORD].request_id
        report_fault(error, request_id)
        return _answer(request, InternalFault(f"Internal error; the request id is {request_id}."))


def _answer(request: web.Request, error: ProxyError) -> web.Response:
    record = request[RECORD]
    record.outcome = error.outcome
    record.refused = not record.client
    record.asked = record.asked or error.asked_model
    if isinstance(error, ModelUnavailable):
        record.model = error.label
    if error.for_log:
        get_log().warning(error.code, request_id=record.request_id, reason=error.for_log)
    if record.refused:
        request[GATEWAY].connections.note_head(request.protocol)
    if error.http_status != HTTPStatus.UNAUTHORIZED:
        note_standing(record, request[GATEWAY])
    refusal = write_refusal(error, request, record)
    headers = {
        **record.answer_headers(asyncio.get_running_loop().time()),
        **refusal.headers,
        **error.headers,
    }
    if request.path.startswith("/ui"):
        headers |= PRIVATE
    if not error.retryable and error.http_status < 500:
        # The SDKs retry 408, 409 and 429 by themselves, and obey this header.
        headers.setdefault("x-should-retry", "true" if error.http_status in SDK_RETRIES else "false")
    return written_response(refusal.body, status=refusal.status, headers=headers)


def _from_http(request: web.Request, error: web.HTTPException) -> ProxyError:
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        limit = request[GATEWAY].settings.general_settings.max_body_mib
        return BodyTooLarge(f"The body is over {limit} MiB (general_settings.max_body_mib).")
    if error.status == 404:
        return NotFound(f"There is no {request.method} {request.path[:200]} here.")
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return MethodNotAllowed(
            f"{request.path[:200]} does not take {request.method}.", headers={"Allow": allowed}
        )
    return InvalidRequest(error.reason)
