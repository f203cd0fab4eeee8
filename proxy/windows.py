"""How large a model's window is, from the table in litellm's package, read as the data file that it is.

litellm itself is not imported: it costs seconds and 165 MB, and a process with direct deployments alone has no other
use for it. The table has holes (``gemini/gemini-3-pro-preview`` is in it with nothing known), so a missing value is
None and never a guess; an operator's ``model_info`` goes first.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from proxy.config import Deployment

_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Window:
    """A model's limits in tokens; None where nobody has said."""

    max_input_tokens: int | None
    max_output_tokens: int | None


def window_of(deployment: Deployment) -> Window:
    """Return the limits of a deployment: the operator's words, then the table's under either of its spellings."""
    row = _table().get(deployment.model) or _table().get(deployment.model_id) or {}
    return Window(
        deployment.max_input_tokens or _count(row.get("max_input_tokens")),
        deployment.max_output_tokens or _count(row.get("max_output_tokens")),
    )


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
