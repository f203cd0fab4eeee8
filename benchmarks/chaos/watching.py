"""Reads a process's descriptors, sockets, threads and memory from outside. Linux only (``/proc``)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from prometheus_client.parser import text_string_to_metric_families
from typing_extensions import override

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@dataclass(frozen=True)
class Held:
    """The descriptors, sockets, threads and memory of a process at one moment."""

    descriptors: int
    sockets: int
    threads: int
    mib: float

    @classmethod
    def by(cls, pid: int) -> Held:
        """Return what the process *pid* holds now."""
        links = []
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                links.append(os.readlink(f"/proc/{pid}/fd/{name}"))
            except FileNotFoundError:
                continue  # closed between the two
        status = Path(f"/proc/{pid}/status").read_text()

        def field(name: str) -> int:
            return int(status.partition(f"{name}:")[2].split()[0])

        sockets = sum(link.startswith("socket:") for link in links)
        return cls(len(links), sockets, field("Threads"), field("VmRSS") / 1024)

    @override
    def __str__(self) -> str:
        return f"{self.descriptors} descriptors ({self.sockets} sockets), {self.threads} threads, {self.mib:.1f} MiB"


def connections(pid: int) -> list[str]:
    """Return the process's TCP sockets: ports of both ends, and the state as the kernel numbers it."""
    held = {
        os.readlink(link).removeprefix("socket:[").removesuffix("]")
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if link.is_symlink()
    }
    found = []
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_, inode = line.split()[:10]
        if inode in held:
            ports = (str(int(end.partition(":")[2], 16)) for end in (local, remote))
            found.append(f"{'>'.join(ports)} in state {state}")
    return found


async def settle(look: Callable[[], bool], seconds: float) -> bool:
    """Wait until *look* returns True, for at most *seconds*, and tell whether it did."""
    loop = asyncio.get_running_loop()
    limit = loop.time() + seconds
    while not look():
        if loop.time() > limit:
            return False
        await asyncio.sleep(0.05)
    return True


async def read_metrics(origin: str) -> Samples:
    """Return every sample of ``/metrics`` by its name and its sorted labels. The connection is closed afterwards."""
    async with aiohttp.request("GET", f"{origin}/metrics", headers={"Connection": "close"}) as response:
        text = await response.text()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def total(samples: Samples, name: str, **labels: str) -> float:
    """Return the sum of the samples of a metric that have these labels."""
    wanted = labels.items()
    return sum(
        value for (found, pairs), value in samples.items() if found == name and wanted <= dict(pairs).items()
    )


def by_label(samples: Samples, name: str, label: str) -> dict[str, int]:
    """Return the sums of a metric by the values of one label, without zeros."""
    sums: dict[str, int] = {}
    for (found, pairs), value in samples.items():
        if found == name and value:
            key = dict(pairs)[label]
            sums[key] = sums.get(key, 0) + int(value)
    return dict(sorted(sums.items()))
