"""Starts the workers, processes that run providers' own code, and asks them.

Only a worker has its packages on its path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PLACE = Path(sys.prefix)
PYTHON = PLACE / "judges-env" / "bin" / "python"
NODE = PLACE / "judges-node"

COMMANDS: dict[str, tuple[str, ...]] = {
    "bedrock": ("bedrock",),
    "google_types": ("google_types",),
    "mistral-1-5": ("mistral",),
    "mistral-1-8": ("mistral",),
    "mistral-1-13": ("mistral",),
    "sdk_types": ("sdk_types",),
    "templates": ("templates", str(PLACE / "judges-templates"), str(NODE)),
}
"""The module and the command-line arguments of each worker, by the worker's name."""


class Worker:
    """A running worker process. It gets one question at a time through a pipe, and answers each with a line."""

    def __init__(self, name: str, process: subprocess.Popen[str]) -> None:
        self.name = name
        self._process = process
        self._known: dict[bytes, dict[str, str]] = {}
        self.names: list[str] = self._answer({})

    def ask(self, judges: Sequence[str], body: Any) -> dict[str, str]:
        """Ask the *judges* of this worker about *body*.

        Return the error text of each judge that refuses it, by the judge's name. A body is judged once: many providers
        are sent the same bodies.
        """
        question = {"judges": list(judges), "body": body}
        key = sha256(json.dumps(question).encode()).digest()
        if key not in self._known:
            self._known[key] = self._answer(question)
        return self._known[key]

    def _answer(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the worker ended: {self._process.args!r}"
        return json.loads(line)


class Workers:
    """The workers by name. Each starts when it is first asked for."""

    def __init__(self) -> None:
        self._started: dict[str, Worker] = {}
        self._processes: list[subprocess.Popen[str]] = []

    def __getitem__(self, name: str) -> Worker:
        """Return the worker with this name, and start its process if it does not run yet."""
        if name not in self._started:
            module, *arguments = COMMANDS[name]
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            process = subprocess.Popen(
                [str(PYTHON), "-m", f"tests.judges.workers.{module}", *arguments],
                cwd=ROOT,
                env={**environment, "PYTHONPATH": str(PLACE / f"judges-{name}")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self._processes.append(process)
            self._started[name] = Worker(name, process)
        return self._started[name]

    def close(self) -> None:
        """End all workers by closing their input, and wait for them."""
        for process in self._processes:
            process.communicate(timeout=60)


@contextmanager
def working() -> Iterator[Workers]:
    """Yield the workers, and end them."""
    if not PYTHON.exists():
        raise FileNotFoundError(f"{PYTHON} is missing: run the tests by `make test-judges`")
    workers = Workers()
    try:
        yield workers
    finally:
        workers.close()
