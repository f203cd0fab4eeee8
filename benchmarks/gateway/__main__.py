"""``make bench-proxy``: CPU per request and per streamed chunk, for turnright, bare aiohttp and installed peers.

The most reliable figure is the multiple of bare aiohttp's CPU in the same run, since other work on the machine changes
this figure least. Each cell is measured several times, with the proxies in turn. The smallest figure counts, since
other work disturbed it least.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from benchmarks.gateway import acompletion, peers, processes
from benchmarks.gateway.bodies import Body, bodies
from benchmarks.gateway.load import Load
from benchmarks.gateway.machine import describe
from benchmarks.gateway.stand import Proxy, Stand, stand
from benchmarks.gateway.tables import least, ratios, render

_CONNECTIONS = 8
_STREAMS = 32
_CHUNKS = 50
CHUNK = "chunk"
_ALONE = {
    "litellm alone": ("openai/m-openai", "/v1"),
    "litellm alone Gemini": ("gemini/gemini-2.5-flash", "/v1beta"),
}
"""``litellm.acompletion`` without a proxy around it, on both wires."""


class _Run:
    """One run of the benchmark: its samples by row (a proxy's route) and column (a kind of body)."""

    def __init__(self, on: Stand, proxies: list[Proxy], options: argparse.Namespace) -> None:
        self._on, self._proxies = on, proxies
        self._seconds: float = options.seconds
        self._growing: bool = options.growing
        self.samples: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.rates: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.errors: dict[str, int] = defaultdict(int)

    def measure(self, column: str, body: Body, *, stream: bool = False) -> None:
        """Take one sample of every row in a column."""
        for proxy in self._proxies:
            if "damaged" in column and not proxy.peer.repairs:
                continue
            for route in proxy.peer.routes:
                wanted = Load(
                    port=proxy.port,
                    bodies=(self._on.file(route, proxy.port, column, body, stream=stream),),
                    connections=_STREAMS if stream else _CONNECTIONS,
                    seconds=self._seconds,
                    first_number=self._on.number(),
                    growing=self._growing,
                )
                cost = self._on.cost(proxy, wanted, per_chunk=stream)
                self.errors[route.name] += cost.errors
                if not cost.errors and cost.requests:
                    self.samples[route.name][column].append(cost.cpu)
                    self.rates[route.name][column].append(cost.per_second)

    def measure_litellm(self, column: str, body: Body, *, stream: bool = False) -> None:
        """Take one sample of litellm's cost without a proxy in a column."""
        for name, (model, path) in _ALONE.items():
            cost = acompletion.measure(
                model, self._on.provider + path, body, self._seconds, core=self._on.proxy_core, stream=stream
            )
            self.samples[name][column].append(cost)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3, help="samples of each cell (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=1.5, help="of each sample (default: %(default)s)")
    parser.add_argument(
        "--sizes", default="small,10k,100k,10k damaged,100k damaged", help="default: %(default)s"
    )
    parser.add_argument(
        "--growing", action="store_true", help="one conversation goes on: only its last message is new"
    )
    parser.add_argument("--no-streams", action="store_true", help="leave out the streamed chunks")
    parser.add_argument("--no-peers", action="store_true", help="ours and bare aiohttp only")
    parser.add_argument(
        "--litellm-transport", action="store_true", help="ours through litellm, and litellm alone"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures to FILE too")
    return parser.parse_args()


def _started(stack: ExitStack, on: Stand, options: argparse.Namespace) -> list[Proxy]:
    transports = ("direct", "litellm") if options.litellm_transport else ("direct",)
    chosen = [peers.bare(on.provider)]
    chosen += [peers.ours(on.directory, on.provider, transport) for transport in transports]
    if not options.no_peers:
        chosen += peers.installed_peers(on.directory, on.provider)
    return [stack.enter_context(on.proxy(peer)) for peer in chosen]


def main() -> None:
    """Print the table. Exit with 1 if turnright answered a request with an error."""
    options = _options()
    sizes = [size.strip() for size in options.sizes.split(",")]
    known = bodies()
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        proxies = _started(stack, on, options)
        run = _Run(on, proxies, options)
        for _ in range(options.rounds):
            for size in sizes:
                run.measure(size, known[size])
                if options.litellm_transport:
                    run.measure_litellm(size, known[size])
            if not options.no_streams:
                on.pace(chunks=_CHUNKS, interval_us=2000)
                run.measure(CHUNK, known["small"], stream=True)
                if options.litellm_transport:
                    run.measure_litellm(CHUNK, known["small"], stream=True)
        memory = {p.peer.name: processes.resident_mib(p.process.pid) for p in proxies}
        ready = {p.peer.name: p.seconds_to_ready for p in proxies}
    columns = [*sizes, *(() if options.no_streams else (CHUNK,))]
    cpu = {row: {c: least(values[c]) for c in columns} for row, values in run.samples.items()}
    rest = {name: {"RSS in MiB": memory[name], "seconds to ready": ready[name]} for name in memory}
    print(f"{describe()}. {options.rounds} rounds of {options.seconds} s.\n")
    print("CPU in µs per request, or per streamed chunk:\n")
    print(render(cpu, columns) + "\n")
    print("The same, in multiples of bare aiohttp:\n")
    print(render(ratios(cpu, "aiohttp", columns), columns, 1) + "\n")
    print(render(rest, ["RSS in MiB", "seconds to ready"], {"seconds to ready": 2}))
    failed = {row: count for row, count in run.errors.items() if count}
    if failed:
        print(f"\nerrors: {failed}")
    if options.json is not None:
        whole = {"machine": describe(), "cpu_us": cpu, "rest": rest, "errors": failed}
        options.json.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n")
    if any(row.startswith("turnright") for row in failed):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
