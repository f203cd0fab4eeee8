"""The histories for the judges: those in ``known.json``, and randomly damaged ones that are the same in every run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.process.asking import function_tool
from tests.support.strategies import damaged_histories

DAMAGED = 300
SEED = 25
TOOLS = ("f", "g", "read_file", "grep", "get_weather")


@dataclass(frozen=True, slots=True)
class History:
    """A named history, with the tools that the request declares."""

    name: str
    messages: list[dict[str, Any]]
    tools: tuple[str, ...]

    @property
    def features(self) -> frozenset[str]:
        """The features that a chat template must have for this history, out of ``template_baseline.FEATURES``."""
        found = {"tools"} if self.tools else set()
        if any(
            message.get("tool_calls")
            or message.get("function_call")
            or message["role"] in ("function", "tool")
            for message in self.messages
        ):
            found.add("calls")
        if "image_url" in json.dumps(self.messages):
            found.add("images")
        return frozenset(found)

    def request(self, *, stream: bool) -> dict[str, Any]:
        """Return the client's request."""
        request: dict[str, Any] = {"model": "m", "messages": self.messages, "stream": stream}
        if self.tools:
            request["tools"] = [function_tool(name) for name in self.tools]
        return request


@cache
def histories() -> tuple[History, ...]:
    """Return all histories. Every other damaged history has tools to declare."""
    known = json.loads(
        (Path(__file__).parents[2] / "proxy" / "conformance" / "known.json").read_text("utf-8")
    )
    found = [History(one["id"], one["messages"], tuple(one.get("tools", ()))) for one in known]
    for number, messages in enumerate(_damaged()):
        found.append(History(f"damaged-{number}", messages, TOOLS if number % 2 else ()))
    return tuple(found)


def _damaged() -> list[list[dict[str, Any]]]:
    found: list[list[dict[str, Any]]] = []

    @seed(SEED)
    @settings(
        max_examples=2 * DAMAGED,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(messages=damaged_histories())
    def collect(messages: list[dict[str, Any]]) -> None:
        found.append(json.loads(json.dumps(messages)))

    collect()
    assert len(found) == 2 * DAMAGED
    return found[::2]  # neighbours are often alike
