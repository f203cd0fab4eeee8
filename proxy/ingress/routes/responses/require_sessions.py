"""Returns the sessions for a path that shows stored objects."""

from __future__ import annotations

from aiohttp import web

from proxy.core.errors import NotFound
from proxy.forwarding.gateway import GATEWAY
from proxy.ingress.routes.responses.resolve_input import NOT_STORED
from proxy.state.sessions.sessions import Sessions


def require_sessions(request: web.Request) -> Sessions:
    """Return the sessions, or raise :class:`NotFound` where the configuration stores nothing."""
    sessions = request[GATEWAY].sessions
    if sessions is None:
        raise NotFound(NOT_STORED)
    return sessions
