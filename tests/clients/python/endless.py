"""The parts that the scripts of endless agents share: a tool with endless results, and the report of a run.

The agents have no effective limit of their own, so that only the gateway can end them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field

import httpx

PROMPT = "Find out everything that there is to know."
MAX_REQUESTS = 200
"""The number of requests after which a run fails if nothing has ended it."""


def search(query: str) -> str:
    """Search the archive."""
    return f"There is more about {query} elsewhere."


@dataclass
class Told:
    """The ``x-turnright-rounds`` header of each of the gateway's answers, and the agent's last text."""

    rounds: list[str] = field(default_factory=list)
    text: str | None = None

    def client(self) -> httpx.AsyncClient:
        """Return an HTTP client that records the ``x-turnright-rounds`` header of each answer."""

        async def note(response: httpx.Response) -> None:
            self.rounds.append(response.headers.get("x-turnright-rounds", ""))

        return httpx.AsyncClient(event_hooks={"response": [note]}, trust_env=False, timeout=30)

    def write(self) -> None:
        """Print the report as one line of JSON."""
        sys.stdout.write(json.dumps({"rounds": self.rounds, "text": self.text}) + "\n")
