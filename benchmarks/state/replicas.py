"""The replicas: ``turnright serve`` processes with one configuration, started, killed, and read from outside."""

from __future__ import annotations

import asyncio
import json
import signal
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.chaos.watching import Samples, read_metrics
from benchmarks.state.provider import Provider
from benchmarks.state.sessions import MODEL
from tests.process.running import Running, forking_process

COUNT = 3
_OF_A_REQUEST = '"event":"request_finished"'
USUAL_EVENTS = frozenset({"request_finished", "ready", "draining", "stopped"})
"""The log lines that do not tell of the store: one for each request, and those of the start and the end."""

DEPLOYMENT = "gemini/gemini-3.6-flash"


def config_for(
    provider: Provider, store: Mapping[str, Any], *, models: Iterable[str] = (DEPLOYMENT,), **sections: Any
) -> dict[str, Any]:
    """Return a configuration with a pool of *models* at *provider*, and the section *store*."""
    parameters = {"api_key": "emulated-key", "api_base": provider.api_base}
    entries = [
        {"model_name": MODEL, "transport": "direct", "litellm_params": {"model": model, **parameters}}
        for model in models
    ]
    general = {"drain_delay": 0, "drain_grace": 1, **sections.pop("general_settings", {})}
    return {"model_list": entries, "store": dict(store), "general_settings": general, **sections}


class Replica:
    """One replica, which may be killed and started again. Its address changes with each start."""

    def __init__(self, directory: Path, name: str, config: Mapping[str, Any]) -> None:
        self._directory = directory
        self._path = directory / f"{name}.yaml"
        self._path.write_text(yaml.safe_dump(dict(config)))
        self._ended: list[Running] = []
        self.origin = ""
        self.running = self._launch()

    @property
    def pid(self) -> int:
        """The process id."""
        return self.running.process.pid

    def wait_until_ready(self) -> None:
        """Wait for the line that tells the address. Blocks."""
        ready = self.running.wait_for(lambda: next(iter(self.running.events("ready")), None), "ready line")
        self.origin = ready["base_url"].removesuffix("/v1")

    def kill(self) -> None:
        """Kill the process with SIGKILL, and reap it."""
        self.running.signal(signal.SIGKILL)
        self.running.wait()

    def restart(self) -> None:
        """Start the process again after :meth:`kill`, and wait until it is ready. Blocks."""
        self._ended.append(self.running)
        self.running = self._launch()
        self.wait_until_ready()

    def stop(self) -> list[str]:
        """Stop the process, and return what was wrong in any of the replica's processes. Blocks."""
        faults = []
        died = self.running.process.poll()
        if died is not None:
            faults.append(f"a replica ended by itself, with {died}")
        elif (status := self.running.stop()) != 0:
            faults.append(f"a replica ended with {status}")
        for running in (*self._ended, self.running):
            if running.errors:
                faults.append(f"standard error: {running.errors[:2000]}")
            faults += [f"internal fault: {fault}" for fault in running.events("internal_fault")[:3]]
        return faults

    def lines(self) -> list[dict[str, Any]]:
        """Return the log lines of the running process without :data:`USUAL_EVENTS`."""
        *whole, _ = self.running.output.split("\n")
        entries = [json.loads(line) for line in whole if _OF_A_REQUEST not in line]
        return [entry for entry in entries if entry["event"] not in USUAL_EVENTS]

    def _launch(self) -> Running:
        arguments = ("serve", "--config", str(self._path), "--port", "0")
        return Running(self._directory, *arguments, forking=forking_process())


class Replicas:
    """Several replicas with one configuration."""

    def __init__(self, directory: Path, config: Mapping[str, Any], count: int = COUNT) -> None:
        self.all = [Replica(directory, f"replica-{place}", config) for place in range(count)]
        self.faults: list[str] = []
        """The faults of the processes, which are known after their end."""

    async def __aenter__(self) -> Replicas:
        try:
            await asyncio.gather(*(asyncio.to_thread(replica.wait_until_ready) for replica in self.all))
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        stopped = await asyncio.gather(*(asyncio.to_thread(replica.stop) for replica in self.all))
        self.faults += [fault for faults in stopped for fault in faults]

    @property
    def origins(self) -> list[str]:
        """The addresses of the replicas."""
        return [replica.origin for replica in self.all]

    async def metrics(self) -> list[Samples]:
        """Return the samples of each replica's metrics."""
        return [await read_metrics(replica.origin) for replica in self.all]

    def line_counts(self) -> list[Counter[str]]:
        """Return the number of unusual log lines of each replica, by their events."""
        return [Counter(entry["event"] for entry in replica.lines()) for replica in self.all]
