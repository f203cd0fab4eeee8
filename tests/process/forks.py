"""Starts turnright's processes as forks of one that has imported turnright (:mod:`tests.process.forking`)."""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol


class Process(Protocol):
    """The part of a :class:`subprocess.Popen` that tests use."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def returncode(self) -> int | None:
        """The exit status, None before a call of ``poll`` or ``wait`` has seen the end."""

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the process, and return the exit status."""

    def send_signal(self, sig: int) -> None:
        """Send a signal to the process."""

    def kill(self) -> None:
        """End the process with SIGKILL."""


class Forked:
    """A forked process, with the methods of :class:`subprocess.Popen` that tests use."""

    def __init__(self, pid: int, ask_status: Callable[[], int | None]) -> None:
        self._ask_status = ask_status
        self._lock = threading.Lock()
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """See :meth:`Process.poll`."""
        with self._lock:
            if self.returncode is None:
                self.returncode = self._ask_status()
            return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """See :meth:`Process.wait`. Raises :class:`subprocess.TimeoutExpired` after *timeout* seconds."""
        limit = None if timeout is None else time.monotonic() + timeout
        while (status := self.poll()) is None:
            if limit is not None and time.monotonic() > limit:
                raise subprocess.TimeoutExpired("turnright", timeout or 0.0)
            time.sleep(0.01)
        return status

    def send_signal(self, sig: int) -> None:
        """See :meth:`Process.send_signal`."""
        with self._lock:  # so that the process id is not another process's meanwhile
            if self.returncode is None:
                os.kill(self.pid, sig)

    def kill(self) -> None:
        """See :meth:`Process.kill`."""
        self.send_signal(signal.SIGKILL)


class Forking:
    """A process that has imported turnright, and the modules *imports*, and that forks for each command."""

    def __init__(self, *imports: str, root: Path, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.process.forking", *imports],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
            env=environment,
        )
        atexit.register(self._process.communicate)  # which ends it

    def fork(self, arguments: Sequence[str], environment: Mapping[str, str], out: Path, err: Path) -> Forked:
        """Start a command of turnright, which adds its output to the files *out* and *err*.

        Python's audit hooks are told of a start, since only slow tests may start processes.
        """
        sys.audit("subprocess.Popen", "turnright", list(arguments), None, None)
        files = {"out": str(out), "err": str(err)}
        pid = self._ask({"arguments": [*arguments], "environment": dict(environment), **files})
        return Forked(pid, functools.partial(self._ask, {"poll": pid}))

    def _ask(self, request: Mapping[str, Any]) -> Any:
        asking, told = self._process.stdin, self._process.stdout
        assert asking is not None
        assert told is not None
        with self._lock:
            asking.write(json.dumps(request).encode() + b"\n")
            asking.flush()
            return json.loads(told.readline())
