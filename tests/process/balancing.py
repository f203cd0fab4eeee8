"""A TCP load balancer like a cluster's, which follows the readiness of processes with a delay.

Like kube-proxy, the balancer forwards TCP connections. It sees no requests, retries nothing, and keeps a connection at
its process. The balancer probes each process at ``/readyz``. Its endpoints change only after a delay, as a cluster's
do.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PROBE_S = 0.1
"""Seconds between two probes of a process."""

_RESET = struct.pack("ii", 1, 0)
"""The value of SO_LINGER with which closing resets the connection."""


@dataclass
class Balancer:
    """A running balancer, with its endpoints and its count of refused connections."""

    update_s: float
    """Seconds from a probe that finds a process ready, or no longer ready, until the endpoints change."""

    port: int = 0
    known: list[int] = field(default_factory=list)
    """Ports of the processes that the balancer probes."""

    endpoints: tuple[int, ...] = ()
    """Ports that new connections go to, in turn."""

    refused: int = 0
    """Number of connections that no process took."""

    stopping: threading.Event = field(default_factory=threading.Event)

    @property
    def base_url(self) -> str:
        """The address for OpenAI's clients."""
        return f"http://127.0.0.1:{self.port}/v1"

    def probe(self) -> None:
        """Probe all processes again and again. A process that does not answer in time keeps its state."""
        seen: set[int] = set()
        while not self.stopping.wait(PROBE_S):
            for port in tuple(self.known):
                ready = _is_ready(port)
                if ready is not None and ready != (port in seen):
                    seen ^= {port}
                    update = threading.Timer(self.update_s, self._update, (tuple(seen),))
                    update.daemon = True
                    update.start()

    def _update(self, endpoints: tuple[int, ...]) -> None:
        self.endpoints = endpoints

    def accept(self, listener: socket.socket) -> None:
        """Take connections until the listener is closed, and forward each to an endpoint in turn."""
        turns = itertools.count()
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                endpoints = self.endpoints
                process = socket.create_connection(("127.0.0.1", endpoints[next(turns) % len(endpoints)]))
            except (OSError, ZeroDivisionError):
                self.refused += 1
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                client.close()
                continue
            threading.Thread(target=_forward, args=(client, process), daemon=True).start()


@contextmanager
def balancing(*, update_s: float) -> Iterator[Balancer]:
    """Run a balancer in threads while the context lasts, and yield it."""
    balancer = Balancer(update_s)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        balancer.port = listener.getsockname()[1]
        threads = [
            threading.Thread(target=balancer.accept, args=(listener,), name="balancer"),
            threading.Thread(target=balancer.probe, name="prober"),
        ]
        for thread in threads:
            thread.start()
        try:
            yield balancer
        finally:
            balancer.stopping.set()
            listener.shutdown(socket.SHUT_RDWR)  # wakes who waits for a connection
            for thread in threads:
                thread.join()


def _is_ready(port: int) -> bool | None:
    probe = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        probe.request("GET", "/readyz")
        return probe.getresponse().status == 200
    except TimeoutError:
        return None
    except (OSError, http.client.HTTPException):
        return False
    finally:
        probe.close()


def _forward(client: socket.socket, process: socket.socket) -> None:
    """Forward bytes in both directions until both sides have closed."""
    with client, process:
        back = threading.Thread(target=_pass_on, args=(process, client), daemon=True)
        back.start()
        _pass_on(client, process)
        back.join()


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):  # either side may go as it likes
        while data := source.recv(65_536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
