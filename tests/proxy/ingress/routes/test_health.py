"""Tests of the liveness and readiness of a serving process."""

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
    """A serving process is alive and ready under each path that probes usually request."""
    reply = await proxy.get(path)

    assert (reply.status, reply.json["status"]) == (200, "alive" if path in LIVE else "ready")


async def test_root_names_the_product_and_its_version(proxy: Proxied) -> None:
    """The root names the product and its version, since some clients request ``/`` first, also by HEAD."""
    assert (await proxy.get("/")).json == {"name": "turnright", "version": __version__}
    assert (await proxy.request("HEAD", "/")).status == 200


async def test_process_stays_ready_while_its_provider_is_down(
    proxy: Proxied, upstream: ScriptedUpstream
) -> None:
    """If readiness depended on a provider, an outage would take every replica out of service."""
    upstream.then(UpstreamUnreachable("x"))
    await proxy.post(chat())

    assert (await proxy.get("/readyz")).status == 200
