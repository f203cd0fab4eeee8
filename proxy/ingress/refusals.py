"""The answer for an error, in the format of the client that gets it.

A client of the Messages API or of Gemini's API is known by its path. On paths that several APIs share, it is known by
its headers: ``anthropic-version``, ``x-goog-api-key`` or ``x-goog-api-client``.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web

from proxy.core.errors import ProxyError
from proxy.ingress.anthropic_messages.errors import error_headers, status_of
from proxy.ingress.anthropic_messages.errors import write_error as write_anthropic_error
from proxy.ingress.anthropic_messages.limit_headers import write_limits
from proxy.ingress.api_headers import VERSION, has_google_headers
from proxy.ingress.formats import FORMATS, MESSAGES
from proxy.ingress.gemini_native.errors import status_of as google_status
from proxy.ingress.gemini_native.errors import write_error as write_google_error
from proxy.ingress.openai_answers import write_error
from proxy.ingress.routes.gemini_paths import is_gemini
from proxy.ingress.token_numbers import numbers_of
from proxy.observability.request_record import RequestRecord
from sanitizers.record import record

_GOOGLE_STARTS = ("/upload/v1", "/v1alpha/", "/v1beta", "/ws/google.")
_FIRST_PARTS = frozenset({"complete", "messages"})


@record
class Refusal:
    """The *status* and the *body* of an error's answer, and the *headers* that its format adds."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def speaks_messages(request: web.Request, route: str) -> bool:
    """Tell whether the client of *request* speaks the Messages API. *route* is the name of the path."""
    if route == MESSAGES:
        return True
    if route in FORMATS:
        return False
    path = request.path.removeprefix("/v1").removeprefix("/v1")
    return path.removeprefix("/").partition("/")[0] in _FIRST_PARTS or VERSION in request.headers


def speaks_gemini(request: web.Request, route: str) -> bool:
    """Tell whether the client of *request* speaks Gemini's API. *route* is the name of the path."""
    if route in FORMATS:
        return route.startswith("/v1/models/")
    return is_gemini(request) or request.path.startswith(_GOOGLE_STARTS) or has_google_headers(request)


def write_refusal(error: ProxyError, request: web.Request, facts: RequestRecord) -> Refusal:
    """Return the answer to *request* for *error*. *facts* is the record of the request."""
    route = facts.route
    if speaks_messages(request, route):
        body = write_anthropic_error(error, facts.request_id, numbers=numbers_of(facts))
        headers = error_headers(error, facts.request_id)
        if facts.standing is not None:
            headers |= write_limits(facts.standing)
        return Refusal(status_of(error), body, headers)
    if speaks_gemini(request, route):
        return Refusal(google_status(error), write_google_error(error, numbers=numbers_of(facts)), {})
    answer_format = FORMATS.get(route)
    written = write_error(error) if answer_format is None else answer_format.write_error(error)
    return Refusal(error.http_status, written, {})
