"""The processes of an attack: the proxy, the fake provider and the prober. Linux only (``/proc``)."""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.attack.exchange import exchange, request
from benchmarks.gateway.processes import cpu_seconds
from tests.process.running import MODULE, ROOT, Running, environment

_STOP_S = 3.0
_QUIET_S = 0.05
_ASKED_S = 20.0
_QUIET_CPU_S = 0.002
_CONNECTIONS = 8192


class Proxy:
    """A running ``turnright serve``."""

    def __init__(self, running: Running, port: int) -> None:
        self.running, self.port = running, port

    @property
    def pid(self) -> int:
        """The process id."""
        return self.running.process.pid

    def cpu(self) -> float:
        """Return the CPU seconds of the process so far."""
        return cpu_seconds(self.pid)

    def settle(self, seconds: float) -> None:
        """Wait until the process uses almost no CPU, for at most *seconds*."""
        until, before = time.monotonic() + seconds, self.cpu()
        while time.monotonic() < until:
            time.sleep(_QUIET_S)
            now = self.cpu()
            if now - before < _QUIET_CPU_S:
                return
            before = now

    def memory(self, field: str) -> int:
        """Return the bytes of a field of ``/proc/PID/status``: ``VmRSS`` or its peak, ``VmHWM``."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition(f"{field}:")[2].split()[0]) * 1024

    def kill(self) -> None:
        """Kill the process."""
        self.running.process.kill()
        self.running.wait()


@dataclass(frozen=True, slots=True)
class Program:
    """The way to start the proxy: *nofile* limits its file descriptors, and *module* is the command."""

    nofile: int | None = None
    module: Sequence[str] = MODULE

    @property
    def command(self) -> list[str]:
        """The start of the command line."""
        if self.nofile is None:
            return list(self.module)
        return ["/bin/sh", "-c", f'ulimit -n {self.nofile}; exec "$@"', "sh", *self.module]


@contextlib.contextmanager
def proxy(directory: Path, config: Mapping[str, Any], program: Program | None = None) -> Iterator[Proxy]:
    """Serve *config* on a free port. At the end the process is stopped, and killed if it does not stop."""
    path = directory / f"attack-{time.monotonic_ns()}.yaml"
    path.write_text(yaml.safe_dump(dict(config)))
    arguments = ("serve", "--config", str(path), "--port", "0")
    running = Running(directory, *arguments, program=(program or Program()).command)
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        yield Proxy(running, ready["port"])
    finally:
        if running.process.poll() is None:
            running.signal()
            try:
                running.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                running.process.kill()
                running.wait()


class Provider:
    """A running fake provider."""

    def __init__(self, port: int) -> None:
        self.port = port

    def base(self, manner: str, path: str = "/v1") -> str:
        """Return the ``api_base`` at which the provider has the behaviour *manner* (see the module ``manners``)."""
        return f"http://127.0.0.1:{self.port}/{manner}{path}"

    def calls(self, manner: str) -> int:
        """Return the number of calls that asked for the behaviour *manner*."""
        return int(self._ask(f"/_calls?manner={manner}"))

    def last(self, manner: str) -> str:
        """Return the body of the last call that asked for the behaviour *manner*."""
        return self._ask(f"/_last?manner={manner}").decode("utf-8", "replace")

    def _ask(self, path: str) -> bytes:
        return exchange(self.port, request(path, method="GET"), _ASKED_S).body


@contextlib.contextmanager
def provider(nice: int = 0) -> Iterator[Provider]:
    """Run a fake provider, with a lower priority where *nice* is above 0."""
    with _talking("benchmarks.attack.provider", str(nice)) as process:
        assert process.stdout is not None
        yield Provider(json.loads(process.stdout.readline())["port"])


Waits = Mapping[str, Mapping[str, float]]
"""The prober's figures for ``livez`` and ``chat``: worst and median time, count and failures."""


class Prober:
    """A running prober: a process that measures how long other requests wait."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def begin(self) -> None:
        """Begin to measure."""
        self._say("begin")

    def end(self) -> Waits:
        """Return the figures since :meth:`begin`."""
        self._say("end")
        assert self._process.stdout is not None
        waits: Waits = json.loads(self._process.stdout.readline())
        return waits

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()


@contextlib.contextmanager
def prober(port: int, model: str, key: str = "") -> Iterator[Prober]:
    """Run a prober that sends requests for *model* to the proxy on *port*."""
    with _talking("benchmarks.attack.probe", str(port), model, *([key] if key else [])) as process:
        yield Prober(process)


@contextlib.contextmanager
def _talking(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run a module that is controlled over its standard streams, and kill it at the end."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment(PYTHONPATH=str(ROOT)),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def deployment(
    name: str, model: str, base: str, *, transport: str = "auto", window: int = 1_000_000
) -> dict[str, Any]:
    """Return one entry of ``model_list``."""
    parameters: dict[str, Any] = {"model": model, "api_base": base, "api_key": "sk-attack-provider"}
    if model.startswith("bedrock/"):
        del parameters["api_key"]
        parameters |= {
            "aws_access_key_id": "AKIAATTACK",
            "aws_secret_access_key": "attack",
            "aws_region_name": "eu-central-1",
        }
    info = {"max_input_tokens": window, "max_output_tokens": 65_536}
    return {"model_name": name, "transport": transport, "litellm_params": parameters, "model_info": info}


def raise_own_limit() -> None:
    """Raise this process's limit of open files, so that an attack can open all its connections."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, _CONNECTIONS)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
