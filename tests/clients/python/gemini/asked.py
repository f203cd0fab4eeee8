"""The command line of the scripts that speak Gemini's own API, and google-genai's client for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from google.genai import Client, types

from tests.clients.python.tools import DECLARATIONS

DECLARED = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name=declaration["function"]["name"],
            description=declaration["function"]["description"],
            parameters_json_schema=declaration["function"]["parameters"],
        )
        for declaration in DECLARATIONS
    ]
)
"""The declarations of the two tools as Gemini's API has them."""


@dataclass(frozen=True)
class Asked:
    """The arguments of the command line: ``TASK ORIGIN MODEL whole|stream [MORE…]``."""

    task: Literal[
        "tools", "chat", "talk", "paths", "errors", "limits", "search", "picture", "structured", "missing"
    ]
    origin: str
    model: str
    stream: bool
    more: tuple[str, ...]

    @classmethod
    def read(cls) -> Asked:
        """Read the command line."""
        task, origin, model, way, *more = sys.argv[1:]
        known: Any = task
        return cls(known, origin, model, {"whole": False, "stream": True}[way], tuple(more))

    def client(self, key: str = "none") -> Client:
        """Return google-genai's client with *key*, which is to be held. It does not ask twice by itself."""
        return Client(api_key=key, http_options=types.HttpOptions(base_url=self.origin))

    def contents_of(self, history: Any, config: Any) -> Iterator[types.GenerateContentResponse]:
        """Yield the answer to *history*, or its chunks where the command line asks for a stream."""
        client = self.client()
        if self.stream:
            yield from client.models.generate_content_stream(
                model=self.model, contents=history, config=config
            )
        else:
            yield client.models.generate_content(model=self.model, contents=history, config=config)
