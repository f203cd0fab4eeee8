"""Refuses requests of foreign web pages where no keys are configured, and answers allowed pages (CORS)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from aiohttp import hdrs, web
from multidict import istr

from proxy.config.schema.general import GeneralSettings
from proxy.core.errors import Forbidden, ProxyError, UnsupportedMediaType
from proxy.forwarding.gateway import RECORD
from proxy.ingress.middlewares.cross_site import Verdict, judge, may_send_body
from proxy.ingress.routes.not_served import is_not_served
from proxy.ingress.routes.paths import is_probe

_SITE = istr("Sec-Fetch-Site")
_HEADER_NAMES = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~, -]*")

_PREFLIGHT_S = "600"
"""Seconds for which a browser may remember a preflight.

An origin that the settings no longer allow can still send requests meanwhile, but not read answers.
"""


def check_page(request: web.Request, general: GeneralSettings) -> web.Response | None:
    """Return the answer to the preflight of an allowed page, or None for any other request that may be served.

    Requests of foreign pages are refused only where no keys are configured and ``allow_unauthenticated_access`` is off.
    Allowed origins get CORS headers even where keys are configured. Without CORS headers the pages of these origins
    could not read the answers.

    Raises :class:`Forbidden` and :class:`UnsupportedMediaType` for requests that a foreign page may have sent.
    """
    headers = request.headers
    if not general.asks_for_keys and not general.allow_unauthenticated_access:
        verdict = judge(
            headers.get(hdrs.HOST),
            headers.get(hdrs.ORIGIN),
            headers.get(_SITE),
            headers.get(hdrs.CONTENT_TYPE),
            (general.allowed_hosts, general.allowed_origins),
        )
        if verdict is not Verdict.FINE:
            _refuse(verdict, request)
    if general.allowed_origins and headers.get(hdrs.ORIGIN) in general.allowed_origins:
        request[RECORD].origin = headers[hdrs.ORIGIN]
        if request.method == hdrs.METH_OPTIONS and hdrs.ACCESS_CONTROL_REQUEST_METHOD in headers:
            return web.Response(status=204, headers=_preflight_headers(headers))
    return None


def cors_headers(origin: str) -> dict[str, str]:
    """Return the CORS headers of an answer. *origin* is the request's allowed origin, or empty."""
    if not origin:
        return {"Vary": "Origin"}
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": "*",  # such as `x-turnright-*`, `x-request-id`, `Retry-After`
        "Vary": "Origin",
    }


def _refuse(verdict: Verdict, request: web.Request) -> None:
    """Raise the error of *verdict*, where the request must be refused.

    Probes may send any ``Host``. A request without a body may have any content type.
    """
    error: ProxyError | None = None
    if verdict is Verdict.FOREIGN_HOST and not is_probe(request):
        error = Forbidden(
            "Without a key only an address, 'localhost' and the names in general_settings.allowed_hosts are served "
            "as Host. Use one of them, or set a key."
        )
    elif verdict is Verdict.FOREIGN_PAGE:
        error = Forbidden(
            "Without a key no requests of other sites' pages are served. Add the page's origin to "
            "general_settings.allowed_origins, or set a key."
        )
    elif (
        verdict is Verdict.OTHER_TYPE
        and not may_send_body(request.headers)
        and not is_not_served(request)  # clients send files there as forms; nobody reads them
    ):
        error = UnsupportedMediaType(
            "Send the body with the header 'Content-Type: application/json'. Without a key no other type is read."
        )
    if error is not None:
        raise error


def _preflight_headers(asked: Mapping[str, str]) -> dict[str, str]:
    """Return a preflight answer's headers, which allow the API's methods and any header, since SDKs send many."""
    names = asked.get(hdrs.ACCESS_CONTROL_REQUEST_HEADERS, "")
    answer = {
        "Access-Control-Allow-Methods": "GET, HEAD, POST",
        "Access-Control-Allow-Headers": names
        if _HEADER_NAMES.fullmatch(names)
        else "Authorization, Content-Type",
        "Access-Control-Max-Age": _PREFLIGHT_S,
    }
    if asked.get("Access-Control-Request-Private-Network") == "true":
        answer["Access-Control-Allow-Private-Network"] = "true"  # Chromium asks before a request to loopback
    return answer
