"""The reason for which a request's task was cancelled by us, as the error that its client gets."""

from __future__ import annotations

import asyncio

from aiohttp import web

from proxy.core.errors import DeadlineExceeded, Overloaded, ProxyError
from proxy.forwarding.gateway import GATEWAY, RECORD


def why_ended(request: web.Request, *, begun: bool = False) -> ProxyError | None:
    """Return the error for the client of a *request* that we have cancelled; None where the client has left.

    To be called from the request's task where it was cancelled: the cancellation is taken back, so that the error can
    be written. *begun* says that a part of the answer may be out.
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
