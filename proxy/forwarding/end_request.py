"""Finds the error for the client of a request whose task the proxy cancelled."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.core.errors import DeadlineExceeded, Overloaded, ProxyError
from proxy.forwarding.gateway import GATEWAY, RECORD


def find_cancel_error(request: web.Request, *, begun: bool = False) -> ProxyError | None:
    """Return the error for the client of a *request* that the proxy cancelled, or None where the client has left.

    Called from the request's task after its cancellation. The cancellation is taken back, so that the error can be
    written. *begun* says that a part of the answer may have been sent.
    """
    gateway = request[GATEWAY]
    error: ProxyError
    if request[RECORD].overdue:
        seconds = gateway.settings.router_settings.timeout
        error = DeadlineExceeded(
            f"The request was not done within {seconds:g} seconds (router_settings.timeout)."
        )
    elif gateway.lifecycle.cutting:
        left = "; the answer is incomplete" if begun else ""
        error = Overloaded(f"The proxy is shutting down{left}.", headers={"Retry-After": "1"})
    else:
        return None
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
    return error
