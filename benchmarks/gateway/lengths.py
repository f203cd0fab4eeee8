"""``make bench-lengths``: CPU per request by the history's length, for turnright's two transports and bare aiohttp.

A cost in proportion to the history gives a straight line. The last column compares 5,000 messages with five times 1,000
messages. Writes the figures as JSON and, where matplotlib is installed, a plot.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks.gateway import peers
from benchmarks.gateway.bodies import Body, agent_history, request
from benchmarks.gateway.load import Load
from benchmarks.gateway.machine import describe
from benchmarks.gateway.plots import draw_lengths, is_drawable
from benchmarks.gateway.stand import Proxy, Stand, stand
from benchmarks.gateway.tables import least, render

LENGTHS = (1, 3, 10, 30, 100, 300, 1_000, 2_000, 5_000)
_CHARACTERS = 1_150
"""Characters of text in a message: 300 messages have 345,000."""

_WINDOW = 100_000_000
"""A window larger than any of the histories. A history that is cut would cost less to send."""


def history_of(length: int) -> Body:
    """Return a request with *length* messages."""
    if length == 1:
        return request(agent_history(2, 2 * _CHARACTERS)[-1:])
    return request(agent_history(length, length * _CHARACTERS))


def _sample(on: Stand, proxy: Proxy, length: int, seconds: float) -> float:
    route = proxy.peer.routes[0]
    wanted = Load(
        port=proxy.port,
        bodies=(on.file(route, proxy.port, str(length), history_of(length)),),
        connections=2,
        seconds=seconds,
        first_number=on.number(),
    )
    cost = on.cost(proxy, wanted)
    if cost.errors or not cost.requests:
        raise SystemExit(f"{proxy.peer.name} answered {length} messages with {cost.errors} errors")
    return cost.cpu


def main() -> None:
    """Print the table and write the plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=2, help="samples of each figure (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each sample (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"), help="default: %(default)s")
    options = parser.parse_args()
    if not is_drawable():
        print("matplotlib is not here: figures only\n")
    cpu: dict[str, dict[str, float | None]] = {}
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        chosen = [
            peers.bare(on.provider),
            *(
                peers.ours(on.directory, on.provider, transport, _WINDOW)
                for transport in ("direct", "litellm")
            ),
        ]
        proxies = [stack.enter_context(on.proxy(peer)) for peer in chosen]
        for length in LENGTHS:
            for proxy in proxies:
                samples = [_sample(on, proxy, length, options.seconds) for _ in range(options.rounds)]
                cpu.setdefault(proxy.peer.name, {})[str(length)] = least(samples)
    for row in cpu.values():
        thousand, most = row["1000"], row["5000"]
        row["5000 by 5 times 1000"] = most / thousand / 5 if most and thousand else None
    columns = [*map(str, LENGTHS), "5000 by 5 times 1000"]
    print(f"{describe()}. CPU in µs per request, by messages in the history:\n")
    print(render(cpu, columns, {columns[-1]: 2}))
    options.out.mkdir(parents=True, exist_ok=True)
    figures = {row: {length: values[str(length)] or 0.0 for length in LENGTHS} for row, values in cpu.items()}
    (options.out / "lengths.json").write_text(
        json.dumps({"machine": describe(), "cpu_us": figures}, indent=1) + "\n"
    )
    if is_drawable():
        draw_lengths(figures, describe(), options.out / "lengths.png")
        print(f"\n{options.out / 'lengths.png'}")


if __name__ == "__main__":
    main()
