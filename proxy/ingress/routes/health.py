"""Liveness and readiness.

Neither check calls an upstream, since a provider that is down must not take every replica out of service.
"""

from __future__ import annotations

from aiohttp import web

from proxy import __version__
from proxy.forwarding.gateway import GATEWAY
from proxy.forwarding.json_response import json_response


async def livez(_: web.Request) -> web.Response:
    """Answer 200 while the process and its event loop run."""
    return json_response({"status": "alive"})


async def readyz(request: web.Request) -> web.Response:
    """Answer 200 while new requests are wanted, and 503 during warm-up and after SIGTERM."""
    ready = request[GATEWAY].lifecycle.ready
    return json_response({"status": "ready" if ready else "not ready"}, status=200 if ready else 503)


async def root(_: web.Request) -> web.Response:
    """Answer with the name and the version. Some clients ask for this path first."""
    return json_response({"name": "turnright", "version": __version__})
