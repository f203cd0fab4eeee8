"""Send a thousand requests whose clients disconnect: ``python -m benchmarks.chaos.cancel``."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.chaos.leaving import MOMENTS, Report, leave_all
from benchmarks.chaos.patient_provider import patient_provider
from benchmarks.chaos.serving import Server
from benchmarks.chaos.watching import Held, connections, read_metrics, settle, total

MAX_GROWTH_MIB = 8.0
"""MiB by which the proxy's memory may grow in the second half of a run."""

USUAL_S, MAX_S = 0.25, 1.0
"""Seconds within which calls upstream must be closed: 99 of 100 calls, and all calls even on a busy machine."""

_KEEP_ALIVE_S = 1.0
_WARM_UP = 64


async def run(
    *,
    clients: int,
    concurrency: int,
    transport: str,
    seed: int,
    usual_s: float = USUAL_S,
    most_s: float = MAX_S,
) -> tuple[Report, dict[str, Held]]:
    """Let *clients* connect and leave. Return the report, and the resources held before, half way and after.

    Calls upstream must close within *usual_s* seconds (99 of 100 calls) and *most_s* seconds (all calls).
    """
    random = Random(seed)
    async with patient_provider(_KEEP_ALIVE_S) as provider:
        with tempfile.TemporaryDirectory() as directory:
            server = await asyncio.to_thread(Server, Path(directory), config_for(provider.origin, transport))
            origin, pid = server.served.origin, server.served.running.process.pid
            try:
                await leave_all(origin, provider, range(_WARM_UP), concurrency, random)
                await settle(lambda: not provider.open.total(), 30.0)
                await asyncio.sleep(_KEEP_ALIVE_S * 2.5)
                held = {"at rest": Held.by(pid)}
                half = clients // 2
                first = await leave_all(
                    origin, provider, range(_WARM_UP, _WARM_UP + half), concurrency, random
                )
                held["half way"] = Held.by(pid)
                report = await leave_all(
                    origin, provider, range(_WARM_UP + half, _WARM_UP + clients), concurrency, random
                )
                report = merge(first, report)
                await _look_after(origin, pid, held, report)
            finally:
                await asyncio.to_thread(server.stop, report.violations)
    if report.at(0.99) > usual_s or report.at(1.0) > most_s:
        report.violations.append("calls upstream were closed too late")
    return report, held


def config_for(origin: str, transport: str) -> dict[str, Any]:
    """Return the proxy's configuration, with one model that the provider at *origin* serves."""
    parameters = {"model": "openai/m", "api_key": "emulated-key", "api_base": f"{origin}/v1"}
    return {
        "model_list": [{"model_name": "m", "transport": transport, "litellm_params": parameters}],
        "router_settings": {"cooldown_time": 0},
        "general_settings": {"drain_delay": 0, "drain_grace": 1},
    }


def merge(first: Report, second: Report) -> Report:
    """Return one report with the results of both."""
    left = {moment: first.left[moment] + second.left[moment] for moment in MOMENTS}
    return Report(left, first.closed_after + second.closed_after, first.violations + second.violations)


async def _look_after(origin: str, pid: int, held: dict[str, Held], report: Report) -> None:
    rest = held["at rest"]
    await settle(lambda: Held.by(pid).sockets <= rest.sockets, 30.0)
    working = total(await read_metrics(origin), "turnright_in_flight")
    # reading the metrics was a connection, too
    back = await settle(lambda: Held.by(pid).descriptors <= rest.descriptors, 30.0)
    held["after"] = after = Held.by(pid)
    if not back:
        report.violations.append(f"more is open than before: {rest} / {after}: {connections(pid)}")
    if working:
        report.violations.append(f"{working:.0f} requests are still in flight")
    if (grown := after.mib - held["half way"].mib) > MAX_GROWTH_MIB:
        report.violations.append(f"the second half took {grown:.1f} MiB")


def main() -> int:
    """Let the clients leave, print the result, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos.cancel", description=__doc__)
    parser.add_argument("--clients", type=int, default=1_000, help="default: %(default)s")
    parser.add_argument("--concurrency", type=int, default=4, help="default: %(default)s")
    parser.add_argument("--transport", choices=("direct", "litellm"), default="direct")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(2**31), help="default: another each time"
    )
    given = parser.parse_args()
    print(
        f"{given.clients} clients leave, {given.transport}, {given.concurrency} at a time, seed {given.seed}\n"
    )
    report, held = asyncio.run(
        run(
            clients=given.clients,
            concurrency=given.concurrency,
            transport=given.transport,
            seed=given.seed,
        )
    )
    print("| moment | clients |\n|---|---|")
    for moment, count in report.left.items():
        print(f"| {moment} | {count} |")
    times = ", ".join(f"{share:.0%} {report.at(share) * 1000:.1f} ms" for share in (0.5, 0.99, 1.0))
    print(f"\n{len(report.closed_after)} calls upstream were closed; after: {times}")
    for moment, what in held.items():
        print(f"{moment}: {what}")
    print(f"\n{len(report.violations)} violations")
    for violation in report.violations[:20]:
        print(f"- {violation}")
    return 1 if report.violations else 0


if __name__ == "__main__":
    sys.exit(main())
