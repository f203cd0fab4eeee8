"""The command line of the scripts that run a tool loop, and the line of JSON that each script prints.

The scripts run in an environment of their own, with the newest clients, so nothing here needs a package.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PROMPT = "Find out what I want to know."
MAX_ROUNDS = 12
"""The most rounds of a loop, so that a loop that would not end fails."""


@dataclass(frozen=True)
class Asked:
    """The arguments of the command line: ``BASE_URL MODEL whole|stream``."""

    base_url: str
    model: str
    stream: bool

    @classmethod
    def read(cls) -> Asked:
        """Read the command line."""
        base_url, model, mode = sys.argv[1:]
        return cls(base_url, model, {"whole": False, "stream": True}[mode])


@dataclass
class Report:
    """The calls of every round as the client package gave them, and the text at the end."""

    rounds: list[list[dict[str, Any]]] = field(default_factory=list)
    text: str | None = None

    def begin_round(self) -> None:
        """Note that an answer with calls has come."""
        self.rounds.append([])

    def called(self, call_id: str | None, name: str, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """Record a call as the client package gives it, and return its arguments."""
        read: dict[str, Any] = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        self.rounds[-1].append({"id": call_id, "name": name, "arguments": read})
        return read

    def write(self) -> None:
        """Print the report."""
        sys.stdout.write(json.dumps({"rounds": self.rounds, "text": self.text}) + "\n")
