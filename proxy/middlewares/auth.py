"""Ask for the master key on every API path, in either spelling, when one is set."""

from __future__ import annotations

import hmac

from aiohttp import web
from aiohttp.typedefs import Handler

from proxy.errors import AuthenticationFailed
from proxy.keys import GATEWAY
from proxy.routes.paths import is_open


@web.middleware
async def check_key(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Let a request pass that carries the key as ``Authorization: Bearer``; health and metrics stay open.

    Compared in constant time. The error says nothing of the key, neither theirs nor ours. A path that is not known
    asks for the key as well, so that nobody learns which exist.
    """
    key = request.app[GATEWAY].settings.general_settings.master_key
    if key is not None and not is_open(request):
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        sent = given.strip().encode("utf-8", "surrogateescape")
        if scheme.lower() != "bearer" or not hmac.compare_digest(sent, key.get_secret_value().encode()):
            raise AuthenticationFailed(
                "A key is required: send it as 'Authorization: Bearer <key>'."
                if not sent
                else "The key is not valid.",
                headers={"WWW-Authenticate": "Bearer"},
            )
    return await handler(request)
