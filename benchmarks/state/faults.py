"""``python -m benchmarks.state.faults``: the store fails in each way while three replicas are under load.

No request may fail. A replica asks a store that does not answer only to test it, says in few lines what happened, and
uses the store again soon after it is well.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.chaos.watching import total
from benchmarks.gateway.machine import describe
from benchmarks.state.fault_rows import (
    BACK_S,
    OPENS_S,
    UP,
    Row,
    Stand,
    judge_back,
    judge_errors,
    judge_lines,
    judge_open,
    judge_requests,
    print_rows,
)
from benchmarks.state.load import OpenLoad
from benchmarks.state.provider import providing
from benchmarks.state.replicas import Replicas, config_for
from benchmarks.state.store_faults import FAULTS, StoreFault
from benchmarks.violations import print_violations
from tests.support.store_servers import valkey_server

_AGAIN_S = 0.5


async def strike(stand: Stand, fault: StoreFault, fault_s: float, well_s: float) -> Row:
    """Let the store fail in one way for *fault_s* seconds, and be well for *well_s*. Return what happened."""
    loop = asyncio.get_running_loop()
    row = Row(fault.name)
    lines = stand.replicas.line_counts()
    began = loop.time()
    before = await stand.replicas.metrics()
    await asyncio.to_thread(fault.begin, stand.server)
    opens_s = min(OPENS_S, fault_s / 2)
    await asyncio.sleep(opens_s)
    opened_at, opened = loop.time(), await stand.replicas.metrics()
    closes_at = loop.time() + fault_s - opens_s  # however late it is: what follows is judged in that time
    while (left := closes_at - loop.time()) > 0:
        await asyncio.sleep(min(_AGAIN_S, left))
        await asyncio.to_thread(fault.again, stand.server)
    closing, closing_at = await stand.replicas.metrics(), loop.time()
    await asyncio.to_thread(fault.end, stand.server)
    ended = loop.time()
    row.back_s = await _until_up(stand.replicas, ended)
    await asyncio.sleep(max(0.0, ended + well_s - loop.time()))
    done, after = loop.time(), await stand.replicas.metrics()
    if not fault.answers:
        judge_open(row, opened, closing, closing_at - opened_at)
    judge_errors(row, before, after)
    judge_lines(row, stand.replicas, lines)
    judge_requests(row, stand, began, ended)
    judge_back(row, stand, ended, done)
    return row


async def _until_up(replicas: Replicas, ended: float) -> float:
    """Return the seconds from *ended* until every replica says that it uses the store, at most twice the limit."""
    loop = asyncio.get_running_loop()
    while loop.time() < ended + 2 * BACK_S:
        if all(total(samples, UP) == 1 for samples in await replicas.metrics()):
            break
        await asyncio.sleep(0.05)
    return loop.time() - ended


async def run(
    directory: Path,
    *,
    rate: float,
    fault_s: float,
    well_s: float,
    faults: Sequence[StoreFault],
    warm_s: float = 3.0,
) -> tuple[list[Row], OpenLoad, list[str]]:
    """Return a row for each of *faults*, the load, and the faults that the replicas' processes showed at their end."""
    rows = []
    with valkey_server() as server:
        async with providing() as provider:
            replicas = Replicas(directory, config_for(provider, {"url": server.url}))
            async with replicas:
                load = OpenLoad(lambda: replicas.origins, rate)
                stop = asyncio.Event()
                async with asyncio.TaskGroup() as group:
                    group.create_task(load.run(stop))
                    await asyncio.sleep(warm_s)
                    for fault in faults:
                        stand = Stand(server, provider, replicas, load)
                        rows.append(await strike(stand, fault, fault_s, well_s))
                    stop.set()
    return rows, load, replicas.faults


def main() -> int:
    """Print a row for each fault, and return 1 where a rule was broken."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.state.faults", description=__doc__)
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second (default: %(default)s)")
    parser.add_argument(
        "--fault-s", type=float, default=5.0, help="seconds of a fault (default: %(default)s)"
    )
    parser.add_argument("--well-s", type=float, default=5.0, help="seconds after it (default: %(default)s)")
    parser.add_argument("--only", default="", help="names of faults, with commas between them")
    options = parser.parse_args()
    chosen = [fault for fault in FAULTS if not options.only or fault.name in options.only.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        rows, load, ends = asyncio.run(
            run(
                Path(scratch),
                rate=options.rate,
                fault_s=options.fault_s,
                well_s=options.well_s,
                faults=chosen,
            )
        )
    print(f"{describe()}. {options.rate:.0f} requests a second.\n")
    print_rows(rows)
    print(f"\nthe latest request was sent {load.behind_s * 1000:.0f} ms too late")
    violations = [f"{row.fault}: {one}" for row in rows for one in row.violations] + ends
    return 1 if print_violations(violations) else 0


if __name__ == "__main__":
    sys.exit(main())
