"""``DELETE /v1/sessions?key=NAME``: deletes all stored responses and conversations of one client's key."""

from __future__ import annotations

from aiohttp import web

from proxy.core.errors import InvalidRequest
from proxy.forwarding.json_response import json_response
from proxy.ingress.routes.require_master_key import require_master_key
from proxy.ingress.routes.responses.require_sessions import require_sessions
from proxy.observability.logs import get_log


async def purge_sessions(request: web.Request) -> web.StreamResponse:
    """Delete what is stored for the key that the query names.

    The name is empty for callers without a key, and may be that of a key that is no longer configured. Requires the
    master key where keys are configured. Answers with the number of values that were deleted.
    """
    require_master_key(request)
    key = request.query.get("key")
    if key is None:
        raise InvalidRequest("Name the client's key, as in '?key=NAME'.", param="key")
    gone = await require_sessions(request).purge(key)
    get_log().info("sessions_purged", key=key, values=gone)
    return json_response({"object": "sessions", "key": key, "deleted": True, "values": gone})
