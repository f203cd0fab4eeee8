"""The command line of the scripts that speak the Messages API, and anthropic's client for it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Literal

from anthropic import Anthropic

from tests.clients.python.tools import DECLARATIONS

TOOLS: Any = [
    {
        "name": declaration["function"]["name"],
        "description": declaration["function"]["description"],
        "input_schema": declaration["function"]["parameters"],
    }
    for declaration in DECLARATIONS
]
"""The declarations of the two tools as the Messages API has them."""


@dataclass(frozen=True)
class Asked:
    """The arguments of the command line: ``TASK ORIGIN MODEL whole|stream VERSION [MORE…]``."""

    task: Literal["tools", "paths", "errors", "limits"]
    origin: str
    model: str
    stream: bool
    version: str
    more: tuple[str, ...]

    @classmethod
    def read(cls) -> Asked:
        """Read the command line."""
        task, origin, model, way, version, *more = sys.argv[1:]
        known: Any = task
        return cls(known, origin, model, {"whole": False, "stream": True}[way], version, tuple(more))

    def client(self, key: str = "none") -> Anthropic:
        """Return anthropic's client, which does not ask twice. Its own version is the newest."""
        headers = {"anthropic-version": self.version}
        return Anthropic(base_url=self.origin, api_key=key, max_retries=0, default_headers=headers)
