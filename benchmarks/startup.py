"""Measures a start of the proxy: seconds until it answers, and CPU and memory at that moment.

The rows are both transports, single providers on the direct one, and a process with a deployment of each provider.

The command is part of ``make bench``. Each figure is the smallest of a few starts, since other work on the machine can
only add time. A bare aiohttp proxy is measured in the same run, since no proxy on aiohttp can start faster.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import platform
import sys
import tempfile
from pathlib import Path

from benchmarks.gateway import processes
from tests.behaviours.transports_agree.targets import (
    IN_PROCESS,
    OTHER_WIRE,
    PREFIXES,
    models_of,
    parameters_of,
)

_NOBODY = "http://127.0.0.1:9"
"""An address where no provider listens."""


BARE, LITELLM, EVERY = "bare aiohttp", "openai, by litellm", "every provider"
PROVIDERS = ("openai", "azure", "groq", "mistral", "databricks")
"""The providers of the processes with one deployment on the direct transport."""


def config_for(name: str, url: str) -> dict[str, object]:
    """Return the configuration of the row *name*, with providers at *url*."""
    chosen = sorted({*PREFIXES, *IN_PROCESS, *OTHER_WIRE}) if name == EVERY else [name.partition(",")[0]]
    entries = [
        {
            "model_name": prefix,
            "transport": "litellm" if name == LITELLM else "auto",
            "litellm_params": parameters_of(models_of(prefix)[0], url),
        }
        for prefix in chosen
    ]
    return {"model_list": entries, "general_settings": {"drain_delay": 0, "drain_grace": 0}}


def _command(name: str, directory: Path, port: int) -> tuple[str, ...]:
    if name == BARE:
        return (sys.executable, "-m", "benchmarks.gateway.bare", str(port), _NOBODY)
    path = directory / f"{name}.yaml"
    path.write_text(json.dumps(config_for(name, _NOBODY)))  # JSON is YAML
    return (sys.executable, "-m", "proxy", "serve", "--config", str(path), "--port", str(port))


def start(command: tuple[str, ...], port: int, log: Path) -> tuple[float, float, float]:
    """Start a process, and return the seconds until it is ready, its CPU seconds and its resident MiB."""

    def ready() -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        with contextlib.closing(connection), contextlib.suppress(OSError):
            connection.request("GET", "/readyz")
            return connection.getresponse().status != http.client.SERVICE_UNAVAILABLE
        return False

    with processes.running(command, core=None, log=log) as process:
        seconds = processes.wait_until(ready, process, log)
        return seconds, processes.cpu_seconds(process.pid), processes.resident_mib(process.pid)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7, help="starts per row (default: %(default)s)")
    runs = parser.parse_args().runs
    found: dict[str, list[tuple[float, float, float]]] = {
        name: [] for name in (BARE, *PROVIDERS, EVERY, LITELLM)
    }
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        for run in range(runs + 1):
            for name, samples in found.items():
                port = processes.free_port()
                sample = start(_command(name, directory, port), port, directory / "log")
                if run:  # the first writes the compiled modules
                    samples.append(sample)
    print(f"Python {platform.python_version()}, {platform.machine()}, {runs} starts per row.\n")
    print("| | seconds to ready | of CPU | RSS in MiB |")
    print("|---|---|---|---|")
    for name, samples in found.items():
        seconds, cpu, resident = (min(column) for column in zip(*samples, strict=True))
        print(f"| {name} | {seconds:.2f} | {cpu:.2f} | {resident:.0f} |")


if __name__ == "__main__":
    main()
