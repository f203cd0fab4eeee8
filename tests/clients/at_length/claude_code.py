"""Runs the real claude command without a terminal, with the gateway as its only provider."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.clients.at_length.codex import NO_NETWORK
from tests.clients.running_clients import existing
from tests.process.running import environment

PACKAGES = Path(sys.prefix, "clients-claude-code")
SECONDS = 120

ALONE = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    **NO_NETWORK,
}
"""Variables that keep Claude Code from asking anybody but the gateway."""


@dataclass(frozen=True)
class Ended:
    """A run of Claude Code: its exit status, the events that it printed, and what it wrote to standard error."""

    status: int
    events: list[dict[str, Any]]
    errors: str

    @property
    def result(self) -> str:
        """The last text, as Claude Code gave it to the user."""
        return str(self.events[-1].get("result", "")) if self.events else ""

    @property
    def is_error(self) -> bool:
        """True where Claude Code says that it has failed."""
        return bool(self.events[-1].get("is_error", True)) if self.events else True

    @property
    def called(self) -> list[tuple[str, Any]]:
        """The name and the input of each call that the model made."""
        return [(block["name"], block["input"]) for block in self._blocks("assistant", "tool_use")]

    @property
    def results(self) -> list[str]:
        """The result of each call, as JSON."""
        return [json.dumps(block["content"]) for block in self._blocks("user", "tool_result")]

    @property
    def usage(self) -> Mapping[str, Any]:
        """The tokens that Claude Code has counted."""
        used: Mapping[str, Any] = self.events[-1]["usage"]
        return used

    def compactions(self) -> int:
        """Return how often Claude Code has replaced its history by a summary."""
        return sum(event.get("subtype") == "compact_boundary" for event in self.events)

    def _blocks(self, role: str, kind: str) -> list[dict[str, Any]]:
        messages = [event["message"] for event in self.events if event["type"] == role]
        return [
            block
            for message in messages
            if isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == kind
        ]


@dataclass(frozen=True)
class ClaudeCode:
    """Claude Code with a directory of its own, in which it keeps its sessions and runs its commands."""

    directory: Path
    origin: str
    model: str
    """The model's name, or `""` where the variables name it."""

    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of its environment."""

    key: str = "none"

    @property
    def work(self) -> Path:
        """The directory of the commands."""
        return self.directory / "work"

    def run(self, prompt: str, model: str | None = None) -> Ended:
        """Run ``claude -p`` until it ends. The second run goes on with the session of the first.

        A *model* takes the place of the usual one. Skips the test if Claude Code could not be installed.
        """
        going_on = self.work.exists()
        self.work.mkdir(exist_ok=True)
        home = self.directory / "claude-home"
        home.mkdir(exist_ok=True)
        chosen = model or self.model
        options = ["--output-format", "stream-json", "--verbose", *(["--model", chosen] if chosen else [])]
        options += ["--allowedTools", "Bash", "Read", "Write"]
        command = [claude(), "-p", prompt, *(["--continue"] if going_on else []), *options]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.work,
            env=environment(
                **ALONE,
                **{
                    "HOME": str(home),
                    "CLAUDE_CONFIG_DIR": str(home / ".claude"),
                    "ANTHROPIC_BASE_URL": self.origin,
                    "ANTHROPIC_AUTH_TOKEN": self.key,
                    **self.variables,
                },
            ),
            timeout=SECONDS,
            text=True,
            check=False,
        )
        return Ended(done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr)


def claude() -> str:
    """Return the path of Claude Code's binary."""
    unreachable = PACKAGES / "unreachable"
    if unreachable.exists():
        pytest.skip(unreachable.read_text().strip())
    existing(PACKAGES / "installed")
    found = [
        path
        for path in PACKAGES.glob("node_modules/@anthropic-ai/claude-code-*/claude")
        if "musl" not in path.parent.name
    ]
    if not found:
        pytest.skip("Claude Code has no binary for this machine")
    return str(found[0])
