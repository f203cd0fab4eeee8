"""Chooses the row of a model at Databricks, Groq, Moonshot or xAI, whose models differ in what they take.

Sources (2026-11): console.groq.com/docs/reasoning and /docs/structured-outputs. docs.x.ai, "Reasoning", and runs
against its API (hermes-agent#23435, modelparams.dev#330). Moonshot: llmgateway#3065, harn-vm 0.10.120.
docs.databricks.com, "Query reasoning models".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from proxy.upstream.dialects import table
from proxy.upstream.dialects.claude_models import claude_of
from proxy.upstream.dialects.dialect import Dialect


def _rows(*rows: tuple[str, Dialect, str | None]) -> tuple[tuple[re.Pattern[str], Dialect], ...]:
    """Return pairs of a name's pattern and a row with its efforts, which are words, or None where they are unknown."""
    return tuple(
        (re.compile(names), row if efforts is None else replace(row, efforts=tuple(efforts.split())))
        for names, row, efforts in rows
    )


_MODELS: Mapping[str, tuple[tuple[re.Pattern[str], Dialect], ...]] = MappingProxyType(
    {
        "groq": _rows(
            ("gpt-oss", table.GROQ_SCHEMAS, "low medium high"),
            ("llama-4|kimi-k2", table.GROQ_SCHEMAS, ""),
            ("qwen", table.GROQ, "none"),
            ("llama|gemma", table.GROQ, ""),
        ),
        "moonshot": _rows(
            ("kimi-k3", table.KIMI_3, None),
            (r"kimi-k2\.[56]", table.KIMI_2, None),
            ("kimi", table.KIMI, ""),
        ),
        "xai": _rows(
            ("grok-3-mini", table.XAI_REASONING, "low high"),
            ("grok-(?:2|3|beta)", table.XAI, ""),
            (r"grok-4\.20-multi-agent", table.XAI_REASONING, "low medium high xhigh"),
            ("grok-.*non-reasoning", table.XAI_4, ""),
            (r"grok-4\.3", table.XAI_REASONING, "none low medium high"),
            (r"grok-4\.5", table.XAI_REASONING, "low medium high"),
            (r"grok-4\.6", table.XAI_REASONING, "low medium high xhigh"),
            (r"grok-4(?:-|$|\.20)|grok-code-fast-1", table.XAI_REASONING, ""),
            ("grok-", table.XAI_REASONING, None),
        ),
    }
)
"""The rows of each provider. The first pattern that is found in a model's name applies."""


def row_of_model(provider: str, model: str, *, direct: bool) -> Dialect | None:
    """Return the row of *model*, or None where the row of its provider applies.

    *direct* is true for the direct transport. litellm writes Claude's thinking for Databricks by itself.
    """
    name = model.lower()
    if provider == "databricks":
        return _databricks(name) if direct else None
    return next((row for names, row in _MODELS.get(provider, ()) if names.search(name)), None)


def _databricks(name: str) -> Dialect | None:
    """Return the row of a Claude at Databricks. Its later generations take no effort on OpenAI's wire."""
    facts = claude_of(name)
    if facts is None:
        return None
    if facts.budget:
        return replace(
            table.DATABRICKS_CLAUDE,
            efforts=facts.efforts,
            one_sampler=facts.one_sampler,
        )
    return replace(
        table.DATABRICKS,
        dropped=table.DATABRICKS.dropped | facts.refused,
        efforts=(),
        one_sampler=facts.one_sampler,
    )
