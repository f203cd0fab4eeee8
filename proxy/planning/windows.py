"""Returns a model's context window from the table in litellm's package (:mod:`proxy.config.litellm_table`).

The table has gaps: ``gemini/gemini-3-pro-preview`` is listed without values. A short table of model families fills
gaps, on the routes that host these models. Every other missing value is None and never a guess. An operator's
``model_info`` overrides all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal

import msgspec

from proxy.config.litellm_table import litellm_rows
from proxy.core.deployment import Deployment
from proxy.planning.model_spellings import own_name, spellings_of, vendors_of


@dataclass(frozen=True, slots=True)
class Window:
    """A model's limits in tokens. None where a limit is unknown."""

    max_input_tokens: int | None
    max_output_tokens: int | None
    shared: bool = True
    """True where the answer's tokens count against the same window."""

    source: Literal["configured", "catalogue", "family", "unknown"] = "unknown"


@dataclass(frozen=True, slots=True)
class _Family:
    """The limits of every model whose own name begins with the same text."""

    window: int
    shared: bool
    hosts: frozenset[str]
    """Routes and vendors with these models. On other routes, any model may have such a name."""


_CLAUDE = frozenset({"anthropic", "azure_ai", "bedrock", "bedrock_converse", "vertex_ai"})
_GEMINI = frozenset({"gemini", "google", "vertex_ai"})
_GPT = frozenset({"azure", "azure_ai", "openai"})

_FAMILIES = MappingProxyType(
    {
        "chatgpt-4o": _Family(128_000, True, _GPT),
        "claude": _Family(200_000, True, _CLAUDE),  # docs.anthropic.com, models overview
        "claude-2": _Family(100_000, True, _CLAUDE),
        "claude-2.1": _Family(200_000, True, _CLAUDE),
        "claude-instant": _Family(100_000, True, _CLAUDE),
        "claude-v": _Family(100_000, True, _CLAUDE),  # Bedrock's name for Claude 1 and 2
        # ai.google.dev/gemini-api/docs/models: input and output limits stand apart
        "gemini": _Family(1_048_576, False, _GEMINI),
        "gemini-1.0": _Family(30_720, False, _GEMINI),
        # platform.openai.com/docs/models
        "gpt-4-32k": _Family(32_768, True, _GPT),
        "gpt-4-turbo": _Family(128_000, True, _GPT),
        "gpt-4.1": _Family(1_047_576, True, _GPT),
        "gpt-4.5": _Family(128_000, True, _GPT),
        "gpt-4o": _Family(128_000, True, _GPT),
        "gpt-5": _Family(272_000, False, _GPT),  # 400,000 in all, 128,000 of them for the answer
        "gpt-6": _Family(922_000, False, _GPT),  # 1,050,000 in all
        "o1": _Family(200_000, True, _GPT),
        "o1-mini": _Family(128_000, True, _GPT),
        "o1-preview": _Family(128_000, True, _GPT),
        "o3": _Family(200_000, True, _GPT),
        "o4": _Family(200_000, True, _GPT),
    }
)
"""Families by the beginning of a model's own name. The longest match wins."""

_CHAT = _Family(128_000, True, _GPT)
"""``gpt-5-chat`` and similar models share their window with the answer."""

_GPT_INPUTS = (922_000, 272_000)
"""The input limits of GPT-5 and 6. Some rows of the table hold the whole window instead: 400,000 for
``gpt-5.1-codex``, 1,050,000 for ``gpt-5.5``. The rows under ``azure/`` hold 272,000 and 922,000."""


class _Row(msgspec.Struct, frozen=True, gc=False):
    """The values that are read from a row of the table. A value may be of any type."""

    max_input_tokens: Any = None
    max_output_tokens: Any = None


_UNKNOWN = _Row()
_DECODER = msgspec.json.Decoder(_Row)


@lru_cache(maxsize=1024)
def window_of(deployment: Deployment) -> Window:
    """Return the limits of a deployment: the operator's values, else those of the table, else those of the family."""
    rows = map(_row, spellings_of(deployment))
    row = next((row for row in rows if _count(row.max_input_tokens)), _UNKNOWN)
    vendors = vendors_of(deployment)
    family = _family_of(own_name(deployment)) if vendors else None
    shared = family is None or family.shared
    longest = deployment.max_output_tokens or _count(row.max_output_tokens)
    if deployment.max_input_tokens:
        return Window(deployment.max_input_tokens, longest, shared, "configured")
    if listed := _count(row.max_input_tokens):
        if not shared and own_name(deployment).startswith("gpt-"):
            listed = next((limit for limit in _GPT_INPUTS if limit <= listed), listed)
        return Window(listed, longest, shared, "catalogue")
    if family is not None and not family.hosts.isdisjoint(vendors):
        return Window(family.window, longest, shared, "family")
    return Window(None, longest, shared)


def _family_of(name: str) -> _Family | None:
    start = max((start for start in _FAMILIES if name.startswith(start)), key=len, default=None)
    if start is None:
        return None
    return _CHAT if start.startswith(("gpt-5", "gpt-6")) and "-chat" in name else _FAMILIES[start]


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _row(name: str) -> _Row:
    raw = litellm_rows().get(name)
    if raw is None:
        return _UNKNOWN
    try:
        return _DECODER.decode(raw)
    except msgspec.DecodeError:  # the table is a file of another project
        return _UNKNOWN
