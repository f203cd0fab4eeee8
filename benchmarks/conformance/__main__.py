"""``python -m benchmarks.conformance``: measures turnright, a bare pass-through and LiteLLM's proxy.

The variable ``LITELLM_BIN`` holds the path of LiteLLM's program, which needs a virtual environment of its own. Without
the variable, LiteLLM's row is left out. The column "of illegal" counts only the histories in which turnright's own
checker finds a broken rule of the emulated model.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.gateway.processes import free_port, running
from proxy.cli.gateway_snippets import KEY, PROVIDER_MODEL
from proxy.conformance.corpus import load_corpus
from sanitizers import find_violations
from sanitizers.profile_names import profile_for

_MODEL = "measured"
_ROW = "{:<20}{:>12}{:>12}{:>6}{:>18}{:>17}"


def _commands(directory: Path, api_base: str, port: int) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Yield each gateway's name, the command that serves it on *port*, and the environment variables it needs."""
    parameters = {"model": f"gemini/{PROVIDER_MODEL}", "api_base": api_base, "api_key": KEY}
    config = directory / "gateway.yaml"  # JSON is YAML
    config.write_text(json.dumps({"model_list": [{"model_name": _MODEL, "litellm_params": parameters}]}))
    address = ["--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    yield "turnright", [sys.executable, "-m", "proxy", "serve", *address], {}
    bare = [sys.executable, "-m", "benchmarks.conformance.bare_gateway", str(port), api_base, PROVIDER_MODEL]
    yield "bare pass-through", bare, {}
    if program := os.environ.get("LITELLM_BIN"):
        variables = {
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_TELEMETRY": "False",
            "LITELLM_LOG": "ERROR",
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",
        }
        yield "LiteLLM", [program, *address], variables


def main() -> None:
    """Start each gateway, measure it, and print a row."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    emulator, port = free_port(), free_port()
    profile = profile_for(f"gemini/{PROVIDER_MODEL}")
    illegal = {case.id for case in load_corpus() if find_violations(list(case.messages), profile)}
    print(_ROW.format("gateway", "hold", "of illegal", "lost", "provider refused", "gateway refused"))
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        for name, command, variables in _commands(directory, f"http://127.0.0.1:{emulator}/v1beta", port):
            log = directory / "gateway.log"
            with running(command, core=None, log=log, environment=variables):
                found = _measure(port, emulator)
            held = {case["id"] for case in found["cases"] if case["verdict"] == "holds"}
            shares = f"{len(held)} of {found['total']}", f"{len(held & illegal)} of {len(illegal)}"
            refused = (found[column] for column in ("lost", "provider_refused", "gateway_refused"))
            print(_ROW.format(name, *shares, *refused), flush=True)


def _measure(port: int, emulator: int) -> dict[str, Any]:
    """Return the outcome of the gateway on *port*, as ``turnright conform --json`` prints it."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "proxy", "conform", "--json", "--yes", "--wait", "180"),
            *("--base-url", f"http://127.0.0.1:{port}/v1", "--model", _MODEL),
            *("--emulator-port", str(emulator)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
