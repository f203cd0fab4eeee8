"""Refuses foreign web pages, and requires a key on API paths where keys are configured."""

from __future__ import annotations

import hmac

from aiohttp import web
from aiohttp.typedefs import Handler
from multidict import istr

from proxy.config.schema.general import GeneralSettings
from proxy.core.clients import client_at, client_of_key
from proxy.core.errors import AuthenticationFailed
from proxy.forwarding.gateway import GATEWAY, RECORD
from proxy.ingress.middlewares.origins import check_page
from proxy.ingress.routes.paths import is_open

_API_KEY = istr("x-api-key")
"""The header in which Anthropic's clients send a key. Some send both, and one of them is enough."""


@web.middleware
async def check_key(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Pass on a request with a valid key in ``Authorization: Bearer`` or ``x-api-key``. Health and metrics need no key.

    Web pages are checked first (:mod:`proxy.ingress.middlewares.origins`), since a page's preflight carries no key.

    The error shows neither the key that was sent nor a configured key. Unknown paths require the key as well, so that
    nobody learns which paths exist. The record gets the key's name and the client. From then on the connection counts
    as a client's (:mod:`proxy.server.connections`).
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
        sent = given.strip().encode("utf-8", "surrogateescape")
        name = find_key(general, sent) if scheme.lower() == "bearer" else None
        if name is None and (other := request.headers.get(_API_KEY)) is not None:
            sent = other.strip().encode("utf-8", "surrogateescape")
            name = find_key(general, sent)
        if name is None:
            raise AuthenticationFailed(
                "A key is required: send it as 'Authorization: Bearer <key>' or as 'x-api-key'."
                if not sent
                else "The key is not valid.",
                headers={"WWW-Authenticate": "Bearer"},
            )
        record.key = name
        record.client = client_of_key(name)
    connection = request.protocol
    connections.begin_request(connection)
    try:
        return await handler(request)
    finally:
        connections.end_request(connection)


def find_key(general: GeneralSettings, sent: bytes) -> str | None:
    """Return the name of the key equal to *sent*, empty for the master key, or None where no key matches.

    Each comparison takes constant time, and all keys are compared. The time then does not tell how much of a key was
    right.
    """
    found = None
    for name, key in (("", general.master_key), *((one.name, one.key) for one in general.keys)):
        if key is not None and hmac.compare_digest(sent, key.get_secret_value().encode()) and found is None:
            found = name
    return found
