"""What a start costs: seconds until a process is ready and answers, and its memory then, by transport.

It is part of ``make bench``. Each figure is the median of a few starts of ``turnright serve``, one after another.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def start(transport: str, directory: Path) -> tuple[float, float]:
    """Start a process with one deployment; return the seconds until it is ready, and its resident MiB."""
    parameters = {"model": "openai/x", "api_key": "x", "api_base": "http://127.0.0.1:9/v1"}
    config = {
        "model_list": [{"model_name": "x", "transport": transport, "litellm_params": parameters}],
        "general_settings": {"drain_delay": 0, "drain_grace": 0},
    }
    path = directory / f"{transport}.yaml"
    path.write_text(json.dumps(config))  # JSON is YAML
    began = time.monotonic()
    command = [sys.executable, "-m", "proxy", "serve", "--config", str(path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "ready":
                break
        else:
            raise SystemExit("the process ended before it was ready")
        seconds = time.monotonic() - began
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.terminate()
        process.communicate()
    return seconds, int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="starts per row (default: %(default)s)")
    runs = parser.parse_args().runs
    print(f"Python {platform.python_version()}, {platform.machine()}, {runs} starts per row.\n")
    print("| transport | seconds to ready | RSS in MiB |")
    print("|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        for transport in ("direct", "litellm"):
            found = [start(transport, Path(directory)) for _ in range(runs)]
            seconds, resident = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"| {transport} | {seconds:.2f} | {resident:.0f} |", flush=True)


if __name__ == "__main__":
    main()
