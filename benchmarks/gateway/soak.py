"""``make soak-load``: mixed load at 70 % of the capacity, for ten minutes. Fails on any error or growth.

Half of the requests stream. Sizes are mixed, and some histories are damaged. Every 15 seconds the load pauses for a
moment. Then the resources of the idle process are measured: memory, file descriptors, threads, requests in flight.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from benchmarks.gateway import load, peers, processes
from benchmarks.gateway.bodies import bodies
from benchmarks.gateway.load import Load
from benchmarks.gateway.machine import describe
from benchmarks.gateway.series import Sample, judge
from benchmarks.gateway.stand import Proxy, Stand, stand

_SHARE = 0.7
_CONNECTIONS = 48
_STRETCH_S = 15.0
_LEAST_STRETCHES = 8
_MIX = (
    "small",
    "small",
    "small",
    "10k",
    "10k",
    "10k damaged",
    "small",
    "100k",
    "10k",
    "small",
    "100k damaged",
)
_PAUSE_S = 0.4


def _files(on: Stand, proxy: Proxy) -> tuple[str, ...]:
    """Return the files with the requests, in the order of sending: each size on both wires, whole and streamed."""
    known = bodies()
    return tuple(
        on.file(route, proxy.port, size, known[size], stream=stream)
        for size in _MIX
        for route in proxy.peer.routes
        for stream in (False, True)
    )


def _in_flight(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        found = re.search(r"^turnright_in_flight (\S+)", answer.read().decode(), re.MULTILINE)
    return int(float(found[1])) if found else 0


def main() -> None:
    """Print the series. Exit with 1 where the series has a fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600.0, help="default: %(default)s")
    seconds: float = parser.parse_args().seconds
    stretch = min(_STRETCH_S, seconds / _LEAST_STRETCHES)
    series: list[Sample] = []
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        on = stack.enter_context(stand(Path(scratch)))
        on.pace(chunks=20, interval_us=2_000)
        proxy = stack.enter_context(on.proxy(peers.ours(on.directory, on.provider)))
        pid, files = proxy.process.pid, _files(on, proxy)

        def send(seconds: float, interval: float) -> load.Outcome:
            wanted = Load(
                port=proxy.port,
                bodies=files,
                connections=_CONNECTIONS,
                seconds=seconds,
                first_number=on.number(),
                interval=interval,
            )
            return load.finish(load.start(wanted))

        send(2.0, 0.0)
        full = send(max(3.0, stretch / 3), 0.0)
        capacity = full.requests / full.seconds
        rate = capacity * _SHARE
        print(
            f"{describe()}. It can take {capacity:.0f} requests a second of this mix; the load is {rate:.0f}.\n"
        )
        print(
            "| seconds | requests | errors | RSS in MiB | open files | threads | in flight | CPU |",
            flush=True,
        )
        print("|---|---|---|---|---|---|---|---|")
        began = time.monotonic()
        while (at := time.monotonic() - began) < seconds:
            used, from_here = processes.cpu_seconds(pid), time.monotonic()
            outcome = send(min(stretch, max(1.0, seconds - at)), _CONNECTIONS / rate)
            busy = (processes.cpu_seconds(pid) - used) / (time.monotonic() - from_here)
            time.sleep(_PAUSE_S)
            sample = Sample(
                seconds=time.monotonic() - began,
                requests=outcome.requests,
                errors=outcome.errors,
                resident=processes.resident_mib(pid),
                files=processes.open_files(pid),
                threads=processes.threads(pid),
                in_flight=_in_flight(proxy.port),
            )
            series.append(sample)
            print(
                f"| {sample.seconds:.0f} | {sample.requests} | {sample.errors} | {sample.resident:.1f} "
                f"| {sample.files} | {sample.threads} | {sample.in_flight} | {busy:.0%} |",
                flush=True,
            )
    faults = judge(series)
    print("\nflat, no error" if not faults else "\n" + "\n".join(faults))
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
