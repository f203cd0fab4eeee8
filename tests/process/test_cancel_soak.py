"""Tests with clients that leave at every moment of a request. ``make chaos`` has a thousand clients."""

from __future__ import annotations

import asyncio
import json
from random import Random

from benchmarks.chaos.cancel import config_for, run
from benchmarks.chaos.leaving import CALLED, MOMENTS, leave_all
from benchmarks.chaos.patient_provider import patient_provider
from benchmarks.chaos.watching import settle
from proxy.config import load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.proxied import proxied

CLIENTS = 60
USUAL_S, MAX_S = 5.0, 10.0
"""The most seconds until an upstream call closes after its client has left: usually, and for the slowest call.

Only the client's disconnect can close these calls.
"""


async def test_leaving_clients_close_their_calls_and_nothing_grows(transport: str) -> None:
    """Each upstream call closes within the limits above.

    No call is made for a client that left, and no descriptor stays open.
    """
    report, held = await run(
        clients=CLIENTS, concurrency=4, transport=transport, seed=20_262, usual_s=USUAL_S, most_s=MAX_S
    )

    print(f"{transport}: {report.at(0.5) * 1000:.1f} ms, most {report.at(1.0) * 1000:.1f} ms")  # noqa: T201 - with -rP
    assert report.violations == []
    assert sum(report.left.values()) == CLIENTS
    assert all(report.left.values()), "a moment was left out"
    assert len(report.closed_after) == sum(report.left[moment] for moment in CALLED)
    assert held["after"].descriptors <= held["at rest"].descriptors


async def test_no_task_is_left(transport: str) -> None:
    """Soon after the last client has left, the event loop has no more tasks than before."""
    async with patient_provider(0.5) as provider:
        settings = load_settings(json.dumps(config_for(provider.origin, transport)).encode(), {}).settings
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            await leave_all(proxy.origin, provider, range(len(MOMENTS)), 1, Random(1))
            await asyncio.sleep(1)
            before = len(asyncio.all_tasks())

            report = await leave_all(proxy.origin, provider, range(100, 160), 8, Random(2))
            await proxy.idle()
            await settle(lambda: len(asyncio.all_tasks()) <= before, 20.0)

            assert report.violations == []
            assert len(asyncio.all_tasks()) <= before
            assert proxy.server.gateway.admission.in_flight == 0
            assert not provider.open.total()
