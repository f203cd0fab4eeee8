"""``GET /v1/responses``: refuses WebSockets in the way that makes codex go on over HTTP at once."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import hdrs, web

from proxy.core.errors import InvalidRequest, MethodNotAllowed


class UpgradeRefused(InvalidRequest):
    """The client asked for a WebSocket."""

    status = HTTPStatus.UPGRADE_REQUIRED
    code = "websocket_not_supported"


async def refuse_upgrade(request: web.Request) -> web.StreamResponse:
    """Answer an Upgrade with 426, after which codex tries once and then uses HTTP. 404 and 405 cost it seven tries."""
    if hdrs.UPGRADE in request.headers:
        raise UpgradeRefused("Responses are served over HTTP: send POST /v1/responses.")
    raise MethodNotAllowed("Send POST /v1/responses.", headers={"Allow": "POST"})
