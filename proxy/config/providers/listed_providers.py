"""The providers that litellm lists in a data file, with their addresses and variables.

litellm itself is not imported, since an import costs seconds and 165 MB. The file has some 300 lines. It is read
once, when a provider is named that no row of our own describes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from proxy.config.providers.provider_row import ProviderRow

_FILE = Path("llms", "openai_like", "providers.json")
_LIMIT = "max_completion_tokens"


@cache
def listed_providers() -> Mapping[str, ProviderRow]:
    """Return the rows of litellm's file by prefix, and none where litellm is not installed."""
    found = importlib.util.find_spec("litellm")
    if found is None or found.origin is None:
        return MappingProxyType({})
    listed = orjson.loads((Path(found.origin).parent / _FILE).read_bytes())
    rows = (_row(prefix, facts) for prefix, facts in listed.items())
    return MappingProxyType({row.prefix: row for row in rows if row is not None})


def _row(prefix: str, facts: Mapping[str, Any]) -> ProviderRow | None:
    """Return the row of one entry of the file, or None for an entry without an address."""
    base, key, variable = (facts.get(name) for name in ("base_url", "api_key_env", "api_base_env"))
    if not isinstance(base, str) or not isinstance(key, str):
        return None
    renamed = facts.get("param_mappings", {}).get(_LIMIT) == "max_tokens"
    handled = facts.get("special_handling", {})
    return ProviderRow(
        prefix,
        base.rstrip("/"),
        (key,),
        bases=(variable,) if isinstance(variable, str) else (),
        limit_as_max_tokens=renamed,
        hottest=facts.get("constraints", {}).get("temperature_max"),
        text_lists=not handled.get("convert_content_list_to_string", False),
    )
