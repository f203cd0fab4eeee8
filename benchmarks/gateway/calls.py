"""``python -m benchmarks.gateway.calls``: the number of function calls in Python for one request.

The number is the same on a busy machine and on a quiet one. So a test can check it (``tests/benchmarks``), unlike
times. The number stands for the CPU of small requests. In large requests, one call may do much or little.
"""

from __future__ import annotations

import asyncio
import contextlib
import cProfile
import http.client
import io
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import orjson

from benchmarks.gateway.bodies import MARK, Body, bodies, encode, numbered
from benchmarks.gateway.peers import CHAT, model_list
from benchmarks.gateway.processes import free_port, running, wait_until
from benchmarks.gateway.row_models import AGAIN, Parameters, row_body, row_config, row_models
from benchmarks.gateway.tables import render
from proxy.config import load_settings
from proxy.observability.logs import configure_logs
from proxy.server.serve import serving
from proxy.upstream.select_transport import SelectingUpstream

_WARM_UP = 120
"""The number of requests before the count, so that all caches are filled."""

_BATCHES, _BATCH = 8, 5
"""The number of batches that are counted, and the requests in each batch.

The batch with the fewest calls decides, since others may include a sample for calibration, which is taken once a
second.
"""

_ROW_WARM_UP, _ROW_REQUESTS = 10, 8
"""The requests to each of many rows: before the count, and those that are counted one by one.

The request with the fewest calls decides, so a slow machine may take samples for calibration meanwhile.
"""

ROUTES = {"OpenAI": "m-openai", "Gemini": "m-gemini"}


def count_calls(sizes: dict[str, Body]) -> dict[str, dict[str, float]]:
    """Return the number of function calls for one request, in Python and in C, by route and size."""
    with tempfile.TemporaryDirectory() as scratch, serve_provider(Path(scratch)) as provider:
        return asyncio.run(_count_all(sizes, provider))


def count_rows(rows: Mapping[str, Parameters], size: str) -> dict[str, float]:
    """Return the number of calls for one whole request of *size* to each of *rows*, whose addresses are replaced."""
    with tempfile.TemporaryDirectory() as scratch, serve_provider(Path(scratch)) as provider:
        return asyncio.run(_count_rows(rows, size, provider))


@contextlib.contextmanager
def serve_provider(directory: Path) -> Iterator[str]:
    """Run the fake provider, with its log in *directory*, and yield its origin."""
    port, log = free_port(), directory / "provider.log"
    command = (sys.executable, "-m", "benchmarks.gateway.provider", str(port))
    with running(command, core=None, log=log) as process:

        def ready() -> bool:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            with contextlib.suppress(OSError), contextlib.closing(connection):
                connection.request("GET", "/pace?chunks=1&interval_us=1")
                connection.getresponse().read()
                return True
            return False

        wait_until(ready, process, log)
        yield f"http://127.0.0.1:{port}"


async def _count_all(sizes: dict[str, Body], provider: str) -> dict[str, dict[str, float]]:
    configure_logs(io.StringIO())
    settings = load_settings(orjson.dumps(model_list(provider, "direct")), {}).settings
    upstream = SelectingUpstream.for_settings(settings)
    async with serving(settings, upstream, host="127.0.0.1", port=0) as server:
        return {
            name: {size: await _count(server.port, model, body) for size, body in sizes.items()}
            for name, model in ROUTES.items()
        }


async def _count_rows(rows: Mapping[str, Parameters], size: str, provider: str) -> dict[str, float]:
    at = row_models(provider)
    chosen = {name: at[name] for name in (*rows, AGAIN)}
    configure_logs(io.StringIO())
    settings = load_settings(orjson.dumps(row_config(chosen)), {}).settings
    upstream = SelectingUpstream.for_settings(settings)
    async with serving(settings, upstream, host="127.0.0.1", port=0) as server:
        parts = encode(row_body(size, chosen[AGAIN]), model=AGAIN).split(MARK.encode())
        others = range(1_000, 1_000 + _WARM_UP)  # caches would know the numbers that are counted
        await asyncio.to_thread(_send, server.port, parts, others)
        return {name: await _least(server.port, name, row_body(size, at[name])) for name in rows}


async def _least(port: int, name: str, body: Body) -> float:
    """Return the calls of the cheapest of some requests on one connection."""
    parts = encode(body, model=name).split(MARK.encode())
    counts = []
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        for number in range(_ROW_WARM_UP + _ROW_REQUESTS):
            profile = cProfile.Profile()  # of this thread alone, which the server runs in
            profile.enable()
            await asyncio.to_thread(_ask, connection, numbered(parts, number, growing=False))
            profile.disable()
            counts.append(sum(entry.callcount for entry in profile.getstats()))
    return min(counts[_ROW_WARM_UP:])


async def _count(port: int, model: str, body: Body) -> float:
    parts = encode(body, model=model).split(MARK.encode())
    await asyncio.to_thread(_send, port, parts, range(_WARM_UP))
    counts = []
    for first in range(_WARM_UP, _WARM_UP + _BATCHES * _BATCH, _BATCH):
        profile = cProfile.Profile()  # of this thread alone, which the server runs in
        profile.enable()
        await asyncio.to_thread(_send, port, parts, range(first, first + _BATCH))
        profile.disable()
        counts.append(sum(entry.callcount for entry in profile.getstats()))
    return min(counts) / _BATCH


def _send(port: int, parts: list[bytes], numbers: range) -> None:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        for number in numbers:
            _ask(connection, numbered(parts, number, growing=False))


def _ask(connection: http.client.HTTPConnection, body: bytes) -> None:
    connection.request("POST", CHAT, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    said = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{answer.status}: {said[:300]!r}")


def main() -> None:
    """Print the table."""
    sizes = bodies()
    print(render(count_calls(sizes), list(sizes)))


if __name__ == "__main__":
    main()
