"""Refuses foreign web pages, and requires a key on API paths where keys are configured."""

from __future__ import annotations

import time
from collections.abc import Iterator

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import istr

from proxy.config.schema.general import GeneralSettings
from proxy.config.schema.keys import FoundKey, digest_of
from proxy.core.clients import client_at, client_of_key
from proxy.core.errors import AuthenticationFailed
from proxy.core.key_errors import KeyExpired
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.api_headers import GOOGLE_KEY
from proxy.ingress.middlewares.origins import check_page
from proxy.ingress.routes.gemini_paths import is_gemini
from proxy.ingress.routes.paths import is_open

wall_clock = time.time  # noqa: TID251 - a key expires at a moment of the calendar
"""The clock that expiries are compared with."""

_KEY_HEADERS = (istr("x-api-key"), istr(GOOGLE_KEY))
"""The headers in which Anthropic's and Google's clients send a key. Some send several, and one of them is enough."""

_KEY_QUERIES = ("key", "$key")
"""The parameters of the query in which clients of Gemini's API may send a key. Nothing logs or shows a query."""


@web.middleware
async def check_key(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Pass on a request with a valid key in ``Authorization: Bearer``, ``x-api-key`` or ``x-goog-api-key``.

    On Gemini's paths the query may have the key, as ``?key=``. Health and metrics need no key.

    Web pages are checked first (:mod:`proxy.ingress.middlewares.origins`), since a page's preflight carries no key.

    Keys are compared by their SHA-256. A key that has expired gets a 401 of its own.

    The error shows neither the key that was sent nor a configured key. Unknown paths require the key as well, so that
    nobody learns which paths exist. The record gets the key's name, its models and the client. From then on the
    connection counts as a client's (:mod:`proxy.server.connections`).
    """
    gateway = request[GATEWAY]
    general, connections = gateway.settings.general_settings, gateway.connections
    preflight = check_page(request, general)
    if preflight is not None:
        return preflight
    record = request[RECORD]
    if not general.asks_for_keys:
        record.client = client_at(request.remote)
    elif is_open(request):
        connections.note_head(request.protocol)
        return await handler(request)
    else:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        sent = given.strip()
        found = _find_key(general, sent) if scheme.lower() == "bearer" else None
        for other in () if found is not None else _other_keys(request):
            sent = other.strip()
            found = _find_key(general, sent)
            if found is not None:
                break
        if found is None:
            raise AuthenticationFailed(
                "A key is required: send it as 'Authorization: Bearer <key>', as 'x-api-key' or as 'x-goog-api-key'."
                if not sent
                else "The key is not valid.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        record.key, record.allowed = found.name, found.allowed
        record.client = client_of_key(found.name)
        _check_expiry(found)
    connection = request.protocol
    connections.begin_request(connection)
    try:
        return await handler(request)
    finally:
        connections.end_request(connection)


def _other_keys(request: web.Request) -> Iterator[str]:
    """Yield the keys that *request* has in other places than ``Authorization``."""
    for header in _KEY_HEADERS:
        if (given := request.headers.get(header)) is not None:
            yield given
    if is_gemini(request):
        for parameter in _KEY_QUERIES:
            if (given := request.query.get(parameter)) is not None:
                yield given


def _find_key(general: GeneralSettings, sent: str) -> FoundKey | None:
    return general.find_key(digest_of(sent.encode("utf-8", "surrogateescape")))


def _check_expiry(found: FoundKey) -> None:
    if found.expires is not None and wall_clock() >= found.expires:
        error = KeyExpired()
        error.headers["WWW-Authenticate"] = 'Bearer error="invalid_token"'
        raise error
