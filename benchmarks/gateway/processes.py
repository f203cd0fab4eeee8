"""Processes under measurement: started, pinned to a core, read in ``/proc``, and ended. Linux only."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

_START_S = 120.0
_END_S = 10.0


def cores() -> tuple[int, int]:
    """Return the proxy's core and the load's: the first two that this process may use."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise SystemExit("two cores are needed: one for the proxy, one for the load")
    return usable[0], usable[1]


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def tree(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    found = [pid]
    for parent in found:  # grows as it goes
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                found += map(int, (task / "children").read_text().split())
    return found


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process tree's live threads, to the nanosecond."""
    total = 0
    for member in tree(pid):
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{member}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process tree, in MiB."""
    pages = 0
    for member in tree(pid):
        with contextlib.suppress(OSError):
            pages += int(Path(f"/proc/{member}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 2**20


def open_files(pid: int) -> int:
    """Return how many file descriptors a process tree holds."""
    return sum(len(os.listdir(f"/proc/{member}/fd")) for member in tree(pid))


def threads(pid: int) -> int:
    """Return how many threads a process tree has."""
    return sum(len(os.listdir(f"/proc/{member}/task")) for member in tree(pid))


def _leave(*_: object) -> None:
    raise SystemExit("ended")


@contextlib.contextmanager
def running(
    command: Sequence[str], *, core: int | None, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program on *core*, with its output in *log*. At the end, stop the program and its children."""
    signal.signal(signal.SIGTERM, _leave)  # otherwise a benchmark that is ended leaves its proxies running
    whole = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    # Its modules are compiled once, as they are where it is installed.
    whole.pop("PYTHONDONTWRITEBYTECODE", None)
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=out, env={**whole, **(environment or {})}, start_new_session=True
        )
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_END_S)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> float:
    """Wait until *ready* returns True, and return the seconds.

    Ends the benchmark where the process ends or takes too long.
    """
    began = time.monotonic()
    while not ready():
        if process.poll() is not None or time.monotonic() - began > _START_S:
            raise SystemExit(f"{process.args!r} did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.005)
    return time.monotonic() - began
