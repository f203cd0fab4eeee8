"""Refuses a path of the operator to clients."""

from __future__ import annotations

from aiohttp import web

from proxy.core.errors import Forbidden
from proxy.forwarding.gateway import GATEWAY, RECORD


def require_master_key(request: web.Request) -> None:
    """Raise :class:`Forbidden` for a client's key. Without any key, every caller is the operator."""
    if not request[GATEWAY].settings.general_settings.is_operator(request[RECORD].key):
        raise Forbidden("This path requires the master key.")
