"""Runs the real gemini command without a terminal, with the gateway as its only provider."""

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
from tests.clients.running_clients import existing, node
from tests.process.running import environment

PACKAGES = Path(sys.prefix, "clients-gemini-cli")
SECONDS = 120

SETTINGS: Mapping[str, Any] = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
"""The settings that make gemini-cli ask the address of its variables, with a key."""

ALONE: Mapping[str, Any] = {
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "privacy": {"usageStatisticsEnabled": False},
}
"""Further settings, which keep gemini-cli from asking anybody but the gateway."""


@dataclass(frozen=True)
class Ended:
    """A run of gemini-cli: its exit status, the events that it printed, and what it wrote to standard error."""

    status: int
    events: list[dict[str, Any]]
    errors: str

    @property
    def text(self) -> str:
        """The model's texts of all turns, as gemini-cli gave them to the user."""
        messages = [event for event in self.events if event["type"] == "message"]
        return "".join(message["content"] for message in messages if message["role"] == "assistant")

    @property
    def called(self) -> list[tuple[str, Any]]:
        """The name and the arguments of each call that the model made."""
        uses = [event for event in self.events if event["type"] == "tool_use"]
        return [(use["tool_name"], use["parameters"]) for use in uses]

    @property
    def results(self) -> dict[str, str]:
        """The status of each call by its id, in the order of their ends."""
        ends = [event for event in self.events if event["type"] == "tool_result"]
        return {end["tool_id"]: end["status"] for end in ends}

    @property
    def usage(self) -> Mapping[str, Any]:
        """The tokens that gemini-cli has counted."""
        [result] = [event for event in self.events if event["type"] == "result"]
        used: Mapping[str, Any] = result["stats"]
        return used


@dataclass(frozen=True)
class GeminiCli:
    """gemini-cli with a directory of its own, in which it keeps its sessions and runs its commands."""

    directory: Path
    origin: str
    model: str
    """The model's name, or `""` where gemini-cli chooses among its own."""

    settings: Mapping[str, Any] = field(default_factory=lambda: SETTINGS)
    variables: Mapping[str, str] = field(default_factory=dict)
    """Further variables of its environment."""

    key: str = "none"

    @property
    def work(self) -> Path:
        """The directory of the commands."""
        return self.directory / "work"

    def run(self, prompt: str, model: str | None = None) -> Ended:
        """Run ``gemini -p`` until it ends. The second run goes on with the session of the first.

        A *model* takes the place of the usual one. Skips the test if gemini-cli could not be installed.
        """
        going_on = ["--resume", "latest"] if self._home.exists() else []
        options = ["-p", prompt, "--output-format", "stream-json", *going_on]
        done = subprocess.run(
            self.command(*options, model=model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd=self.work,
            env=self.environment(),
            timeout=SECONDS,
            text=True,
            check=False,
        )
        return Ended(done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr)

    def command(self, *options: str, model: str | None = None) -> list[str]:
        """Return the command line with *options*, and write the settings of the user."""
        self.work.mkdir(exist_ok=True)
        (self._home / ".gemini").mkdir(parents=True, exist_ok=True)
        (self._home / ".gemini" / "settings.json").write_text(json.dumps({**ALONE, **self.settings}))
        chosen = self.model if model is None else model
        named = ["--model", chosen] if chosen else []
        return [node(), gemini(), *options, "--approval-mode", "yolo", "--skip-trust", *named]

    def environment(self) -> dict[str, str]:
        """Return the variables of the process."""
        given = {"HOME": str(self._home), "GOOGLE_GEMINI_BASE_URL": self.origin, "GEMINI_API_KEY": self.key}
        return environment(**{**NO_NETWORK, **given, **self.variables})

    @property
    def _home(self) -> Path:
        return self.directory / "gemini-home"


def gemini() -> str:
    """Return the path of gemini-cli's script."""
    unreachable = PACKAGES / "unreachable"
    if unreachable.exists():
        pytest.skip(unreachable.read_text().strip())
    existing(PACKAGES / "installed")
    return str(PACKAGES / "node_modules" / "@google" / "gemini-cli" / "bundle" / "gemini.js")
