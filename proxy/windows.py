"""How large a model's window is, from the table in litellm's package, read as the data file that it is.

litellm itself is not imported: it costs seconds and 165 MB, and a process with direct deployments alone has no other
use for it. The table has holes (``gemini/gemini-3-pro-preview`` is in it with nothing known); those of families whose
models are all alike are filled from a short table of ours, every other missing value is None and never a guess. An
operator's ``model_info`` goes first.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import orjson

from proxy.config import Deployment

_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Window:
    """A model's limits in tokens; None where nobody has said."""

    max_input_tokens: int | None
    max_output_tokens: int | None
    shared: bool = True
    """Whether the answer's tokens count against the same window."""

    source: Literal["configured", "catalogue", "family", "unknown"] = "unknown"


_FAMILIES = MappingProxyType(
    {
        "claude": (200_000, True),  # docs.anthropic.com, models overview
        "gemini": (
            1_048_576,
            False,
        ),  # ai.google.dev/gemini-api/docs/models: input and output limits stand apart
        "gpt-5": (
            272_000,
            False,
        ),  # platform.openai.com/docs/models: 400,000 in all, 128,000 of them for the answer
    }
)
"""What holds for every model of a family: the window, and whether the answer counts against it."""


@lru_cache(maxsize=1024)
def window_of(deployment: Deployment) -> Window:
    """Return the limits of a deployment: the operator's words, then the table's under either of its spellings."""
    row = _table().get(deployment.model) or _table().get(deployment.model_id) or {}
    name = deployment.model_id.rpartition("/")[2].lower()
    family = next((facts for start, facts in _FAMILIES.items() if name.startswith(start)), None)
    shared = family is None or family[1] or "-chat" in name  # gpt-5-chat: 128,000 for both
    longest = deployment.max_output_tokens or _count(row.get("max_output_tokens"))
    if deployment.max_input_tokens:
        return Window(deployment.max_input_tokens, longest, shared, "configured")
    if listed := _count(row.get("max_input_tokens")):
        return Window(listed, longest, shared, "catalogue")
    if family is not None:
        return Window(family[0], longest, shared, "family")
    return Window(None, longest, shared)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


@cache
def _table() -> dict[str, dict[str, Any]]:
    """Return litellm's table, empty where the package is not installed."""
    spec = importlib.util.find_spec("litellm")  # of a top-level package this imports nothing
    if spec is None or not spec.submodule_search_locations:
        return {}
    try:
        table: dict[str, dict[str, Any]] = orjson.loads(
            (Path(spec.submodule_search_locations[0]) / _TABLE).read_bytes()
        )
    except (OSError, orjson.JSONDecodeError):
        return {}
    return table
