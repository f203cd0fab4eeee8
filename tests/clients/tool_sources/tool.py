"""A tool as a package describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tool:
    """One tool, with the schema of its parameters as the package has it."""

    name: str
    description: str
    schema: dict[str, Any]

    @property
    def declaration(self) -> dict[str, Any]:
        """The tool as an entry of a chat request's ``tools``."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema}
        return {"type": "function", "function": function}

    @property
    def meaning(self) -> str:
        """The schema as text, by which tools are compared regardless of their names."""
        return json.dumps(self.schema, sort_keys=True)
