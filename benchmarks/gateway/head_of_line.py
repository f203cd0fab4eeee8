"""``make bench-streams``: how long small streams stand still while large requests pass through the same process.

Four small streams with a chunk every 10 ms run alone, and then together with five requests of 100k tokens per second. A
step that holds the event loop for 20 ms shows as a chunk that is 20 ms late.
"""

from __future__ import annotations

import argparse
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.gateway import load, peers
from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.load import Load, Outcome
from benchmarks.gateway.machine import describe
from benchmarks.gateway.series import quantile
from benchmarks.gateway.stand import Proxy, Stand, stand
from benchmarks.gateway.tables import render

_STREAMS = 4
_INTERVAL_US = 10_000
_LARGE_EVERY_S = 0.2
_COLUMNS = ("late p50", "late p99", "gap p99", "gap max", "large requests")


def _streams(
    on: Stand, proxy: Proxy, route: peers.Route, seconds: float, large: str | None
) -> tuple[Outcome, int]:
    """Return the outcome of the streams, and the number of requests of the size *large* that were sent meanwhile."""
    small = bodies()["small"]
    streams = Load(
        port=proxy.port,
        bodies=(on.file(route, proxy.port, "small", small, stream=True),),
        connections=_STREAMS,
        seconds=seconds,
        first_number=on.number(),
    )
    if large is None:
        return load.finish(load.start(streams)), 0
    file = on.file(route, proxy.port, large, bodies()[large])
    beside = Load(
        port=proxy.port,
        bodies=(file,),
        connections=2,
        seconds=seconds + 0.5,
        first_number=on.number(),
        interval=2 * _LARGE_EVERY_S,
    )
    heavy = load.start(beside)
    outcome = load.finish(load.start(streams))
    return outcome, load.finish(heavy).requests


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0, help="of each row (default: %(default)s)")
    parser.add_argument(
        "--large", default="100k", help="the large requests (default: %(default)s; or 100k damaged)"
    )
    parser.add_argument("--peers", action="store_true", help="peers that are here as well")
    options = parser.parse_args()
    rows: dict[str, dict[str, float | None]] = {}
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        on.pace(chunks=50, interval_us=_INTERVAL_US)
        chosen = [peers.bare(on.provider), peers.ours(on.directory, on.provider)]
        if options.peers:
            chosen += peers.installed_peers(on.directory, on.provider)
        proxies = [stack.enter_context(on.proxy(peer)) for peer in chosen]
        for proxy in proxies:
            for route in proxy.peer.routes:
                for large in (None, options.large):
                    outcome, count = _streams(on, proxy, route, options.seconds, large)
                    name = f"{route.name}, alone" if large is None else f"{route.name}, beside {large}"
                    rows[name] = {
                        "late p50": quantile(outcome.chunk_delays, 0.5) / 1000,
                        "late p99": quantile(outcome.chunk_delays, 0.99) / 1000,
                        "gap p99": quantile(outcome.chunk_gaps, 0.99) / 1000,
                        "gap max": quantile(outcome.chunk_gaps, 1.0) / 1000,
                        "large requests": count,
                    }
    print(f"{describe()}. Milliseconds; a chunk is sent every {_INTERVAL_US // 1000} ms.\n")
    print(render(rows, _COLUMNS, dict.fromkeys(_COLUMNS[:-1], 1)))


if __name__ == "__main__":
    main()
