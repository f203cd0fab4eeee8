"""Liveness, readiness and the admin listener through the life of the process."""

from __future__ import annotations

import pytest

from proxy import __version__
from proxy.core.errors import UpstreamUnreachable
from tests.support.proxied import Proxied, chat
from tests.support.scripted_upstream import ScriptedUpstream

LIVE = ("/livez", "/health/liveliness", "/health/liveness")
READY = ("/readyz", "/health", "/healthz", "/health/readiness")


@pytest.mark.parametrize("path", [*LIVE, *READY])
async def test_serving_process_is_alive_and_ready_under_each_name(proxy: Proxied, path: str) -> None:
    """A process that serves is alive and ready, under each of the usual names."""
    reply = await proxy.get(path)

    assert (reply.status, reply.json["status"]) == (200, "alive" if path in LIVE else "ready")


async def test_root_says_who_is_here(proxy: Proxied) -> None:
    """Some clients ask for `/`, and by HEAD, before anything else."""
    assert (await proxy.get("/")).json == {"name": "turnright", "version": __version__}
    assert (await proxy.request("HEAD", "/")).status == 200


async def test_dead_provider_takes_nobody_out(proxy: Proxied, upstream: ScriptedUpstream) -> None:
    """Readiness does not ask the provider: one that is down must not take every replica out."""
    upstream.then(UpstreamUnreachable("x"))
    await proxy.post(chat())

    assert (await proxy.get("/readyz")).status == 200
