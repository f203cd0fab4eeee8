"""``make bench-watched``: CPU per request while nobody looks, and while the inspector's live page is open.

A poller stands in for the page. It sends the same request as the page's script, at the same interval. The CPU for these
polls is counted too. Rounds with the poller and without it alternate on one process. The order within each pair of
rounds alternates too.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import statistics
import tempfile
import threading
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.gateway import peers, processes
from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.load import Load
from benchmarks.gateway.machine import describe
from benchmarks.gateway.stand import Proxy, Stand, stand
from benchmarks.gateway.tables import Figures, least, render

_CONNECTIONS = 8
_POLLS = 100
_SCRIPTS = Path(__file__).parents[2] / "proxy" / "inspector" / "static"
CLOSED, OPEN = "page closed", "page open"
Samples = Mapping[str, Mapping[str, Sequence[float]]]
"""Maps a row (page closed or open) and a size to the microseconds of CPU per request, one number for each round."""


def read_interval(script: str) -> float:
    """Return the seconds between two polls that the page's *script* names.

    Raises:
        ValueError: the script names no interval.
    """
    found = re.search(r"^const EVERY_MS = \{ live: (\d+)", script, re.MULTILINE)
    if found is None:
        raise ValueError("the page does not say how often it asks")
    return int(found[1]) / 1000


class Page:
    """Asks for the live numbers as the open page does: at once, and again *interval* seconds after each answer."""

    def __init__(self, port: int, interval: float) -> None:
        self._address = f"http://127.0.0.1:{port}/ui/api/live"
        self._interval = interval
        self.polls = self.octets = 0

    def cost(self, proxy: Proxy) -> float:
        """Return the CPU seconds that the process takes for one poll when it has nothing else to do."""
        before = processes.cpu_seconds(proxy.process.pid)
        for _ in range(_POLLS):
            with urllib.request.urlopen(self._address, timeout=10) as answer:
                answer.read()
        return (processes.cpu_seconds(proxy.process.pid) - before) / _POLLS

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Poll until the block ends. Raises SystemExit with the error if a poll failed."""
        faults: list[OSError] = []
        closed = threading.Event()

        def poll() -> None:
            while not closed.is_set():
                try:
                    with urllib.request.urlopen(self._address, timeout=10) as answer:
                        self.octets += len(answer.read())
                except OSError as fault:
                    faults.append(fault)
                    return
                self.polls += 1
                closed.wait(self._interval)

        thread = threading.Thread(target=poll)
        thread.start()
        try:
            yield
        finally:
            closed.set()
            thread.join()
        if faults:
            raise SystemExit(f"the page was not answered: {faults[0]}")


def compare(
    closed: Mapping[str, Sequence[float]], opened: Mapping[str, Sequence[float]]
) -> tuple[dict[str, dict[str, float | None]], list[str]]:
    """Return a row for each size: *opened* as a multiple of *closed*, by the least, the median, and pair by pair.

    The machine's speed drifts, but hardly changes between the two rounds of a pair.
    """
    columns = ["least", "median", "median of pairs"]
    rows: dict[str, dict[str, float | None]] = {}
    for size, without in closed.items():
        with_page = opened[size]
        found = (
            min(with_page) / min(without),
            statistics.median(with_page) / statistics.median(without),
            statistics.median(one / other for one, other in zip(with_page, without, strict=True)),
        )
        rows[size] = dict(zip(columns, found, strict=True))
    return rows, columns


def _measure(on: Stand, proxy: Proxy, file: str, seconds: float) -> float:
    """Return the CPU per request of one round, in microseconds."""
    wanted = Load(
        port=proxy.port,
        bodies=(file,),
        connections=_CONNECTIONS,
        seconds=seconds,
        first_number=on.number(),
    )
    cost = on.cost(proxy, wanted)
    if cost.errors or not cost.requests:
        raise SystemExit(f"{cost.errors} errors in {cost.requests} requests")
    return cost.cpu


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--rounds", type=int, default=12, help="with the page, and without (default: %(default)s)"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round (default: %(default)s)")
    parser.add_argument("--sizes", default="small,10k", help="default: %(default)s")
    return parser.parse_args()


def main() -> None:
    """Print the CPU per request with the page closed and open, and the second as a multiple of the first."""
    options = _options()
    sizes = [size.strip() for size in options.sizes.split(",")]
    interval = read_interval((_SCRIPTS / "app.js").read_text("utf-8"))
    samples: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        proxy = stack.enter_context(on.proxy(peers.ours(on.directory, on.provider)))
        page = Page(proxy.port, interval)
        known, route = bodies(), proxy.peer.routes[0]
        files = {size: on.file(route, proxy.port, size, known[size]) for size in sizes}
        for file in files.values():
            _measure(on, proxy, file, 1.0)  # to warm up
        poll = page.cost(proxy)
        for number in range(options.rounds):
            for size in sizes:
                for row in (CLOSED, OPEN) if number % 2 == 0 else (OPEN, CLOSED):
                    with page.open() if row == OPEN else contextlib.nullcontext():
                        samples[row][size].append(_measure(on, proxy, files[size], options.seconds))
    print(
        f"{describe()}. {options.rounds} rounds of {options.seconds} s with the page open, and as many without."
    )
    print(f"The page asked {page.polls} times, every {interval} s, for {page.octets // page.polls:,} bytes.")
    print(
        f"One poll by itself: {poll * 1e6:,.0f} µs of CPU, {poll / interval:.3%} of a core at that interval.\n"
    )
    print("CPU in µs per request, all that the process did counted:\n")
    print(render(*_figures(samples, sizes), 1) + "\n")
    print("Open as a multiple of closed, the last of rounds that followed one another:\n")
    print(render(*compare(samples[CLOSED], samples[OPEN]), 3))


def _figures(samples: Samples, sizes: list[str]) -> tuple[Figures, list[str]]:
    """Return both rows, each with the smallest and the median figure of each size."""
    rows = {
        row: {
            f"{size}, {what}": judge(values[size])
            for size in sizes
            for what, judge in (("least", least), ("median", statistics.median))
        }
        for row, values in samples.items()
    }
    return rows, list(rows[CLOSED])


if __name__ == "__main__":
    main()
