"""Starts the project's own processes, reads their output, and stops them."""

from __future__ import annotations

import functools
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tests.process.forks import Forking, Process

ROOT = Path(__file__).parents[2]
UVLOOP = os.environ.get("TURNRIGHT_UVLOOP")
"""The path of uvloop's packages.

If it is set, started processes use uvloop as their event loop (``make test-uvloop``).
"""

PATHS = os.pathsep.join(filter(None, (str(ROOT), UVLOOP)))
"""The import path of a started process."""

KEPT_VARIABLES = ("HOME", "LANG", "LC_ALL", "PATH", "SYSTEMROOT", "TMPDIR")
"""The environment variables that a started process inherits.

No provider's key and no proxy setting is among them.
"""

READ_BY_IMPORTS = ("HTTPX_", "LITELLM_", "OPENAI_", "PYTHON")
"""Beginnings of the names of environment variables that have no effect after the imports."""

MODULE = (sys.executable, "-m", "proxy")
INSTALLED = (str(Path(sys.executable).with_name("turnright")),)
"""The command as it is installed, and as an image starts it."""

START_SECONDS = 120.0
STOP_SECONDS = 60.0

_numbers = itertools.count(1)
Found = TypeVar("Found")


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of a started process: the kept variables and *variables*."""
    return {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ} | variables


def command(*arguments: str) -> list[str]:
    """Return the command line of ``python -m proxy``."""
    return [*MODULE, *arguments]


def planted(directory: Path, *lines: str) -> dict[str, str]:
    """Return the environment variables with which a Python process runs *lines* of Python before its own code."""
    (directory / "sitecustomize.py").write_text("\n".join(lines))
    return {"PYTHONPATH": os.pathsep.join((str(directory), PATHS))}


@contextmanager
def reserved_port() -> Iterator[int]:
    """Yield a port that refuses connections, and that a server of these tests may still bind.

    The port stays bound, since a released port may go to another test's process.
    """
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port: int = reserved.getsockname()[1]
        yield port


class Running:
    """One started process. Its output goes to files, so that it is never held up by a full pipe."""

    def __init__(
        self,
        directory: Path,
        *arguments: str,
        program: Sequence[str] = MODULE,
        variables: Mapping[str, str] | None = None,
        forking: Forking | None = None,
    ) -> None:
        """Start *program*, or a fork of the process *forking*."""
        stem = directory / f"{next(_numbers)}-{arguments[0]}"
        self._out, self._err = stem.with_suffix(".out"), stem.with_suffix(".err")
        self._parsed, self._lines = 0, dict[str, list[dict[str, Any]]]()
        self.started = time.monotonic()
        given = environment(**{"PYTHONPATH": PATHS, **(variables or {})})
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process: Process = (
                forking.fork(arguments, given, self._out, self._err)
                if forking
                else subprocess.Popen(
                    [*program, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    cwd=ROOT,
                    env=given,
                )
            )

    @property
    def output(self) -> str:
        """All that the process has written to standard output so far."""
        return self._out.read_text()

    @property
    def errors(self) -> str:
        """All that the process has written to standard error so far."""
        return self._err.read_text()

    def events(self, name: str) -> list[dict[str, Any]]:
        """Return the log lines with the event *name*, where every complete line must be JSON.

        Each line is parsed only once, since a waiting test may ask a hundred times with thousands of lines.
        """
        with self._out.open("rb") as out:
            out.seek(self._parsed)
            *lines, _ = out.read().split(b"\n")
        for line in lines:
            entry = json.loads(line)
            self._lines.setdefault(entry["event"], []).append(entry)
            self._parsed += len(line) + 1
        return list(self._lines.get(name, ()))

    def wait_for_events(self, name: str, count: int, seconds: float = 30.0) -> list[dict[str, Any]]:
        """Return the log lines with this event as soon as there are *count*, at the latest after *seconds*.

        A test has to wait, since the process writes an answer's log line a moment after the answer.
        """
        limit = time.monotonic() + seconds
        while len(found := self.events(name)) < count and time.monotonic() < limit:
            time.sleep(0.02)
        return found

    def wait_for(self, look: Callable[[], Found | None], what: str) -> Found:
        """Return the first true result of *look*. Fails if the process ends first, or after two minutes."""
        began = time.monotonic()
        while True:
            ended = self.process.poll() is not None  # asked first: its last words may come between the two
            found = look()
            if found:
                return found
            waited = time.monotonic() - began
            if ended or waited > START_SECONDS:
                raise AssertionError(f"no {what} after {waited:.1f} s: {self.output} {self.errors}")
            time.sleep(0.01)

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Send a signal to the process."""
        self.process.send_signal(number)

    def wait(self, seconds: float = STOP_SECONDS) -> int:
        """Wait until the process has ended and return its exit status."""
        return self.process.wait(seconds)

    def stop(self) -> int:
        """Ask the process to end, and return its exit status. The process is killed only if it does not end in time."""
        if self.process.poll() is None:
            self.signal()
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.wait()


@functools.cache
def forking_process(*imports: str) -> Forking:
    """Return the process of this session that forks for commands, with *imports*."""
    return Forking(*imports, root=ROOT, environment=environment(PYTHONPATH=PATHS))


def _names_litellm(config: Mapping[str, Any]) -> bool:
    return any(entry.get("transport") == "litellm" for entry in config.get("model_list", ()))


@dataclass(frozen=True)
class Served:
    """A ``turnright serve`` process that is ready."""

    running: Running
    origin: str
    """``http://host:port``."""

    admin_port: int | None = None
    seconds_to_ready: float = 0.0

    @property
    def base_url(self) -> str:
        """The address for OpenAI's clients."""
        return f"{self.origin}/v1"


@contextmanager
def serve(
    directory: Path,
    config: Mapping[str, Any],
    *arguments: str,
    program: Sequence[str] = MODULE,
    variables: Mapping[str, str] | None = None,
) -> Iterator[Served]:
    """Serve *config* on a free port while the context lasts.

    The process must write nothing to standard error and log no internal fault. If it still runs when the context ends,
    it must exit with status 0. The process is a fork, which has imported turnright already, unless a *program* or
    variables of :data:`READ_BY_IMPORTS` are given.
    """
    path = directory / f"config-{next(_numbers)}.yaml"
    path.write_text(yaml.safe_dump(dict(config)))
    given = ("serve", "--config", str(path), "--port", "0", *arguments)
    forking = None
    if program == MODULE and not any(name.startswith(READ_BY_IMPORTS) for name in variables or ()):
        forking = forking_process(*(["litellm"] if _names_litellm(config) else []))
    running = Running(directory, *given, program=program, variables=variables, forking=forking)
    try:
        ready = running.wait_for(lambda: next(iter(running.events("ready")), None), "ready line")
        origin = ready["base_url"].removesuffix("/v1")
        yield Served(running, origin, ready["admin_port"], time.monotonic() - running.started)
    finally:
        ended_before = running.process.poll() is not None
        status = running.stop()
    if not ended_before:
        assert status == 0
    assert running.errors == ""
    assert running.events("internal_fault") == []


@contextmanager
def emulate(directory: Path, port: int = 0) -> Iterator[str]:
    """Run ``turnright emulate`` on *port*, or a free one, while the context lasts and yield its address."""
    running = Running(directory, "emulate", "--port", str(port), forking=forking_process())
    try:
        yield running.wait_for(lambda: _address_in(running.output), "address")
    finally:
        status = running.stop()
    assert (status, running.errors) == (0, "")


def _address_in(output: str) -> str | None:
    words = output.partition("\n")[0].split() if "\n" in output else []
    return next((word for word in words if word.startswith("http://")), None)
