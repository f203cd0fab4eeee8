"""Run the provider and the proxies, and measure one proxy at a time."""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from benchmarks.gateway import load, peers, processes
from benchmarks.gateway.bodies import Body, encode

FIRST_STREAM_INTERVAL_US = 2000


@dataclass(slots=True)
class Proxy:
    """A running proxy."""

    peer: peers.Peer
    process: Popen[bytes]
    port: int
    seconds_to_ready: float


@dataclass(frozen=True, slots=True)
class Cost:
    """The result of a measurement.

    *cpu* is the CPU time of the proxy's process tree per request or chunk, in microseconds.
    """

    requests: int
    errors: int
    cpu: float
    per_second: float
    median: float
    """The median time to an answer, or the median delay of a chunk, in microseconds."""


class Stand:
    """The running provider. It shares a core with the load generator and with this process."""

    def __init__(self, directory: Path, provider_port: int, proxy_core: int) -> None:
        self.directory = directory
        self.provider = f"http://127.0.0.1:{provider_port}"
        self.proxy_core = proxy_core
        self._numbers = random.Random(0)

    def pace(self, *, chunks: int, interval_us: int) -> None:
        """Set the number of chunks in the provider's streams, and the time between them."""
        urllib.request.urlopen(f"{self.provider}/pace?chunks={chunks}&interval_us={interval_us}").close()

    @contextlib.contextmanager
    def proxy(self, peer: peers.Peer) -> Iterator[Proxy]:
        """Start a proxy, and yield it when it has answered."""
        log = self.directory / f"{peer.name}.log"
        with processes.running(
            peer.command, core=self.proxy_core, log=log, environment=peer.environment
        ) as process:
            proxy = Proxy(peer, process, peer.port, 0.0)

            def ready() -> bool:
                if peer.tells_port is not None:
                    told = peer.tells_port(log.read_text(errors="replace"))
                    if told is None:
                        return False
                    proxy.port = told
                return _answers(proxy)

            proxy.seconds_to_ready = processes.wait_until(ready, process, log)
            yield proxy

    def file(self, route: peers.Route, port: int, name: str, body: Body, *, stream: bool = False) -> str:
        """Write the whole request to a file for the load generator, and return the file's path."""
        encoded = encode(body, model=route.model, stream=stream)
        path = self.directory / f"{route.name}-{name}{'-stream' if stream else ''}.http".replace(" ", "-")
        path.write_bytes(peers.head(route, port, len(encoded)) + encoded)
        return str(path)

    def number(self) -> int:
        """Return a random number at which the requests of a load begin, so that loads hardly share numbers."""
        return self._numbers.randrange(2**31)

    def cost(self, proxy: Proxy, wanted: load.Load, *, per_chunk: bool = False) -> Cost:
        """Send a load and return what it cost the proxy, per request or per chunk."""
        before = processes.cpu_seconds(proxy.process.pid)
        outcome = load.finish(load.start(wanted))
        used = processes.cpu_seconds(proxy.process.pid) - before
        count = len(outcome.chunk_delays) if per_chunk else outcome.requests
        times = outcome.chunk_delays if per_chunk else outcome.took
        return Cost(
            requests=outcome.requests,
            errors=outcome.errors,
            cpu=used / max(1, count) * 1e6,
            per_second=count / outcome.seconds,
            median=times[len(times) // 2] if times else 0.0,
        )


def _answers(proxy: Proxy) -> bool:
    """Tell whether the proxy answers a small request."""
    route = proxy.peer.routes[0]
    body = {"model": route.model, "messages": [{"role": "user", "content": "Hello."}]}
    request = urllib.request.Request(
        f"http://127.0.0.1:{proxy.port}{route.path}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer sk-benchmark"},
    )
    with contextlib.suppress(urllib.error.URLError, ConnectionError, TimeoutError):
        urllib.request.urlopen(request, timeout=5).close()
        return True
    return False


@contextlib.contextmanager
def stand(directory: Path) -> Iterator[Stand]:
    """Start the provider, and yield the stand."""
    proxy_core, load_core = processes.cores()
    os.sched_setaffinity(0, {load_core})
    port = processes.free_port()
    command = (sys.executable, "-m", "benchmarks.gateway.provider", str(port))
    log = directory / "provider.log"
    with processes.running(command, core=load_core, log=log) as process:
        built = Stand(directory, port, proxy_core)

        def ready() -> bool:
            with contextlib.suppress(urllib.error.URLError, ConnectionError):
                built.pace(chunks=50, interval_us=FIRST_STREAM_INTERVAL_US)
                return True
            return False

        processes.wait_until(ready, process, log)
        yield built
