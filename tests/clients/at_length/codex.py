"""Runs the real codex command without a terminal, with the gateway as its only provider."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.clients.running_clients import existing
from tests.process.running import environment

PACKAGES = Path(sys.prefix, "clients-codex")
SECONDS = 120

NO_NETWORK = {
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1,localhost",
}
"""Variables that keep codex from reporting to its maker: port 9 has no listener."""


@dataclass(frozen=True)
class Ended:
    """A run of codex: its exit status, the events that it printed, and what it wrote to standard error."""

    status: int
    events: list[dict[str, Any]]
    errors: str

    @property
    def texts(self) -> list[str]:
        """The model's messages, as codex gave them to the user."""
        items = [event["item"] for event in self.events if event["type"] == "item.completed"]
        return [item["text"] for item in items if item["type"] == "agent_message"]

    @property
    def commands(self) -> list[tuple[str, int | None]]:
        """The output and the exit status of each command that codex ran."""
        items = [event["item"] for event in self.events if event["type"] == "item.completed"]
        return [
            (item["aggregated_output"], item["exit_code"])
            for item in items
            if item["type"] == "command_execution"
        ]


@dataclass(frozen=True)
class Codex:
    """codex with a directory of its own, in which it keeps its sessions and runs its commands."""

    directory: Path
    base_url: str
    model: str
    provider: str = "turnright"
    """The provider's name, by which codex decides how it asks for a summary."""

    settings: Mapping[str, int] = field(default_factory=dict)
    """Further settings of its configuration file."""

    retries: int = 0
    """The number of times that it sends a request again, and reads a stream again."""

    key: str = "none"

    @property
    def work(self) -> Path:
        """The directory of the commands."""
        return self.directory / "work"

    def run(self, prompt: str) -> Ended:
        """Run ``codex exec`` until it ends. The second run goes on with the session of the first.

        Skips the test if codex could not be installed.
        """
        going_on = self.work.exists()
        self.work.mkdir(exist_ok=True)
        home = self.directory / "codex-home"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(self._config())
        options = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        command = [codex(), "exec", *(["resume", "--last"] if going_on else []), *options]
        return _run([*command, "--model", self.model, prompt], self.work, home, self.key)

    def _config(self) -> str:
        lines = [f"{name} = {value}" for name, value in self.settings.items()]
        lines += [
            'model_provider = "gateway"',
            "[model_providers.gateway]",
            f'name = "{self.provider}"',
            f'base_url = "{self.base_url}"',
            'wire_api = "responses"',
            'env_key = "GATEWAY_KEY"',
            f"request_max_retries = {self.retries}",
            f"stream_max_retries = {self.retries}",
        ]
        return "\n".join(lines) + "\n"


def _run(command: list[str], work: Path, home: Path, key: str) -> Ended:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        cwd=work,
        env=environment(CODEX_HOME=str(home), HOME=str(home), GATEWAY_KEY=key, **NO_NETWORK),
        timeout=SECONDS,
        text=True,
        check=False,
    )
    return Ended(done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr)


def codex() -> str:
    """Return the path of codex's binary."""
    unreachable = PACKAGES / "unreachable"
    if unreachable.exists():
        pytest.skip(unreachable.read_text().strip())
    existing(PACKAGES / "installed")
    found = list(PACKAGES.glob("node_modules/@openai/codex-*/vendor/*/bin/codex"))
    if not found:
        pytest.skip("codex has no binary for this machine")
    return str(found[0])
