"""``make bench-rows``: CPU per request of every provider of the direct transport, in multiples of ``openai/``.

One process serves all rows, so that nothing but the requests differs. Single requests alternate with those of
``openai/``, in another order each round. A row's figure is the median of its ratios to the two requests beside it. The
row ``openai/ again`` shows the noise. A figure near the limit is measured again, with more requests. The provider's
answers are the same for all rows.

The table ``repaired`` has the rows that must repair the history of a client of OpenAI. They are compared with
``openai/`` under the same rules of histories, which repairs the same. So the repair itself is no cost of the row.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import socket
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.gateway import peers, processes
from benchmarks.gateway.answers import AnswerReader
from benchmarks.gateway.bodies import MARK, numbered
from benchmarks.gateway.calls import count_rows
from benchmarks.gateway.machine import describe
from benchmarks.gateway.row_models import (
    AGAIN,
    AGENT,
    BASE,
    REPAIRED,
    SMALL,
    Parameters,
    base_with,
    is_legal,
    row_body,
    row_config,
    row_models,
    rules_of,
)
from benchmarks.gateway.stand import Stand, stand
from benchmarks.gateway.tables import render

LIMIT = 1.1
"""The most that a request may cost on a row, in multiples of ``openai/``."""

_DOUBTFUL, _MORE = 1.05, 4
"""A greater ratio is measured anew with this many times as many requests, and only the new figure counts."""

_CHUNKS, _INTERVAL_US = 20, 500
_WARM_UP = 20
"""The first requests to a deployment take samples for calibration, and those to the base have long done so."""

_IDLE_S = 0.0015
"""Seconds in which the process ends its work behind the answer, such as the log line."""

COLUMNS: Mapping[str, tuple[str, bool]] = {
    f"{size}{' stream' if stream else ''}": (size, stream)
    for size in (SMALL, AGENT)
    for stream in (False, True)
}

Ratios = dict[str, dict[str, list[float]]]
"""The ratios by row and column."""


class Process:
    """The process under measurement, and one connection to it."""

    def __init__(self, pid: int, port: int) -> None:
        self._pid = pid
        self._number = 0
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def cost(self, parts: list[bytes]) -> float:
        """Send one request, and return the CPU seconds that it cost the process."""
        before = processes.cpu_seconds(self._pid)
        self._number += 1
        self._socket.sendall(numbered(parts, self._number, growing=False))
        reader = AnswerReader()
        while not reader.feed(self._socket.recv(1 << 16)):
            pass
        if reader.status != 200:
            raise SystemExit(f"status {reader.status} for {parts[0][-200:]!r}")
        time.sleep(_IDLE_S)
        return processes.cpu_seconds(self._pid) - before


def measure(
    process: Process, requests: Mapping[str, list[bytes]], bases: Mapping[str, str], rounds: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Return the ratios of each row to its base, and the seconds of the bases. *bases* names the base of each row."""
    draw = random.Random(0)
    ratios: dict[str, list[float]] = defaultdict(list)
    costs: dict[str, list[float]] = defaultdict(list)
    for parts in requests.values():
        for _ in range(_WARM_UP):
            process.cost(parts)
    for _ in range(rounds):
        for base in sorted(set(bases.values())):
            rows = [row for row in bases if bases[row] == base]
            before = process.cost(requests[base])
            for row in draw.sample(rows, len(rows)):
                own, after = process.cost(requests[row]), process.cost(requests[base])
                ratios[row].append(own * 2 / (before + after))
                costs[base].append(after)
                before = after
    return ratios, costs


def noise(ratios: Sequence[float]) -> float:
    """Return the standard error of the median of *ratios*, estimated from the middle half of them."""
    first, _, third = statistics.quantiles(ratios, n=4)
    deviation = (third - first) / 1.349  # as in a normal distribution
    return 1.2533 * deviation / math.sqrt(len(ratios))


def above(medians: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Return the cells above the limit, in words."""
    return [
        f"{row}, {column}: {value:.3f}"
        for row, cells in medians.items()
        for column, value in cells.items()
        if value is not None and value > LIMIT
    ]


@dataclass(frozen=True, slots=True)
class _Bench:
    """A running process that serves *rows*, and the requests that are sent to it."""

    on: Stand
    port: int
    process: Process
    rows: Mapping[str, Parameters]

    def request(self, name: str, model: str, size: str, *, stream: bool = False) -> list[bytes]:
        """Return the parts of a request to *model*, with the body that the row *name* takes."""
        route = peers.Route(f"row-{name.replace('/', '_')}", model)
        body = row_body(size, self.rows[name])
        path = Path(self.on.file(route, self.port, size, body, stream=stream))
        return path.read_bytes().split(MARK.encode())

    def judged(self, names: Sequence[str], rounds: int) -> tuple[Ratios, dict[str, float]]:
        """Measure all columns, and return the ratios and the microseconds of the base."""
        ratios: Ratios = {name: {} for name in names}
        costs = {}
        for column, (size, stream) in COLUMNS.items():
            sent = {name: self.request(name, name, size, stream=stream) for name in (BASE, *names)}
            found, seconds = measure(self.process, sent, dict.fromkeys(names, BASE), rounds)
            doubtful = [name for name in names if statistics.median(found[name]) > _DOUBTFUL]
            if doubtful:
                found |= measure(self.process, sent, dict.fromkeys(doubtful, BASE), rounds * _MORE)[0]
            costs[column] = statistics.median(seconds[BASE]) * 1e6
            for name in names:
                ratios[name][column] = found[name]
        return ratios, costs

    def repaired(self, names: Sequence[str], rounds: int) -> Ratios:
        """Measure rows that must repair a history, against ``openai/`` with the same rules and with its own."""
        bases = {name: base_with(rules_of(self.rows[name])) for name in names}
        sent = {name: self.request(name, name, REPAIRED) for name in (BASE, *names)}
        sent |= {base: self.request(BASE, base, REPAIRED) for base in bases.values()}
        same, _ = measure(self.process, sent, bases, rounds)
        own, _ = measure(self.process, sent, dict.fromkeys(names, BASE), rounds)
        return {name: {"the same rules": same[name], "its own rules": own[name]} for name in names}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=40, help="samples of each cell (default: %(default)s)")
    parser.add_argument("--only", default="", help="rows whose names begin so, with commas between")
    parser.add_argument("--no-calls", action="store_true", help="leave out the number of Python calls")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all ratios to FILE too")
    return parser.parse_args()


def _medians(ratios: Ratios) -> dict[str, dict[str, float | None]]:
    return {
        row: {column: statistics.median(values) for column, values in cells.items()}
        for row, cells in ratios.items()
    }


def main() -> None:
    """Print the tables. Exit with 1 where a row costs more than the limit."""
    options = _options()
    begins = tuple(options.only.split(","))
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        on.pace(chunks=_CHUNKS, interval_us=_INTERVAL_US)
        rows = row_models(on.provider)
        names = [name for name in rows if name != BASE and (name == AGAIN or name.startswith(begins))]
        path = on.directory / "rows.yaml"
        path.write_text(json.dumps(row_config(rows)))  # JSON is YAML
        port = processes.free_port()
        command = (sys.executable, "-m", "proxy", "serve", "--config", str(path), "--port", str(port))
        peer = peers.Peer("turnright", port, command, (peers.Route("turnright", BASE),))
        proxy = stack.enter_context(on.proxy(peer))
        bench = _Bench(on, port, Process(proxy.process.pid, port), rows)
        ratios, costs = bench.judged(names, options.rounds)
        repairing = [name for name in names if not is_legal(rows[name], row_body(REPAIRED, rows[name]))]
        repaired = bench.repaired(repairing, options.rounds) if repairing else {}
    medians, again = _medians(ratios), _medians(repaired)
    columns = list(COLUMNS)
    if not options.no_calls:
        for size in (SMALL, AGENT):
            counted = count_rows({name: rows[name] for name in (BASE, *names)}, size)
            columns.append(f"{size} calls")
            for name in names:
                medians[name][columns[-1]] = counted[name] / counted[BASE]
    spread = {
        f"noise of {column}": max(noise(cells[column]) for cells in ratios.values()) for column in COLUMNS
    }
    print(f"{describe()}. {options.rounds} requests a cell.\n")
    print(f"`{BASE}` in µs of CPU: {', '.join(f'{column} {cost:,.0f}' for column, cost in costs.items())}\n")
    print(render(medians, columns, 3))
    if again:
        print("\nThe whole answers of rows that repair the history, in multiples of `openai/` with\n")
        print(render(again, ["the same rules", "its own rules"], 3))
    print(
        f"\nThe greatest standard errors: {', '.join(f'{name} {value:.3f}' for name, value in spread.items())}"
    )
    if options.json is not None:
        options.json.write_text(json.dumps({"judged": ratios, "repaired": repaired}, indent=1) + "\n")
    faults = above({row: {c: v for c, v in cells.items() if c in COLUMNS} for row, cells in medians.items()})
    faults += above({row: {"repaired": cells["the same rules"]} for row, cells in again.items()})
    print(f"\n{len(faults)} figures above {LIMIT}")
    for fault in faults:
        print(f"- {fault}")
    if faults:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
