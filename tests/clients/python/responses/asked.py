"""The command line of the scripts that speak the Responses API, and what they ask for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Literal

from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from tests.clients.python.reporting import PROMPT
from tests.clients.python.tools import DECLARATIONS

SECOND_PROMPT = "What else do you know?"

TOOLS: Any = [{"type": "function", **declaration["function"]} for declaration in DECLARATIONS]
"""The declarations of the two tools as the Responses API has them."""


class Weather(BaseModel):
    """The structured output that a script asks for."""

    city: str
    degrees: int


@dataclass(frozen=True)
class Asked:
    """The arguments of the command line: ``BASE_URL MODEL whole|stream MODE SCENARIO``."""

    base_url: str
    model: str
    stream: bool
    mode: Literal["stored", "unstored", "chained"]
    """The client's own default, ``store: false``, or only what is new, behind the id of what was before."""

    scenario: Literal["tools", "text", "structured"]

    @classmethod
    def read(cls) -> Asked:
        """Read the command line."""
        base_url, model, way, mode, scenario = sys.argv[1:]
        known: Any = mode, scenario
        return cls(base_url, model, {"whole": False, "stream": True}[way], *known)

    @property
    def prompts(self) -> tuple[str, ...]:
        """The user's words, in the order in which they are said."""
        return (PROMPT, SECOND_PROMPT) if self.scenario == "text" else (PROMPT,)

    @property
    def stores(self) -> bool | None:
        """The value of ``store``, or None where the request has none."""
        return False if self.mode == "unstored" else None

    @property
    def is_chained(self) -> bool:
        """True where the server keeps the history."""
        return self.mode == "chained"

    @property
    def is_structured(self) -> bool:
        """True where the answer is to be a :class:`Weather`."""
        return self.scenario == "structured"

    def openai(self) -> OpenAI:
        """Return OpenAI's client, which does not ask twice."""
        return OpenAI(base_url=self.base_url, api_key="none", max_retries=0)

    def async_openai(self) -> AsyncOpenAI:
        """Return OpenAI's asynchronous client, which does not ask twice."""
        return AsyncOpenAI(base_url=self.base_url, api_key="none", max_retries=0)
