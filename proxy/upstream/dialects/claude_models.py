"""The rules of Claude's models by version: reasoning, sampling and formats of the answer.

Sources (2026-11): Anthropic's pages on thinking ("Thinking in tool and multi-turn workflows", "Thinking
troubleshooting", "Adaptive thinking"). On ``temperature`` together with ``top_p``: otoroshi-llm-extension#140 (Opus
4.1, Sonnet and Haiku 4.5) and skydiscover#15 (4.6). On sampling that is always refused: models.dev#1468 (Opus 4.7 and
later). Runs of litellm 1.105.3 showed the requests that it sends for each model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUDGETS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_LEVELS = ("none", "low", "medium", "high", "max")

_SAMPLING = frozenset({"temperature", "top_k", "top_p"})


@dataclass(frozen=True, slots=True)
class Claude:
    """The rules of one generation of Claude's models.

    *budget* is true for extended thinking with a budget of tokens. Later generations choose the amount of thinking
    themselves.
    """

    names: re.Pattern[str]
    efforts: tuple[str, ...] | None = None
    budget: bool = False
    one_sampler: bool = False
    refused: frozenset[str] = frozenset()
    schemas: bool = False
    """True where litellm asks for a JSON schema directly.

    Otherwise litellm turns the schema into a tool that must be called.
    """


_GENERATIONS = (
    Claude(re.compile(r"claude-(?:2|instant|3-(?:opus|sonnet|haiku)|3[-.]5)")),
    Claude(
        re.compile(r"claude-3[-.]7|claude-(?:sonnet|opus)-4(?:[-.]0|-\d{8}|@|$)|claude-4-(?:sonnet|opus)"),
        _BUDGETS,
        budget=True,
    ),
    # litellm asks `claude-4.5-sonnet` for a schema by a tool, since it does not know this spelling of 4.5.
    Claude(
        re.compile(r"claude-opus-4[-.]1(?!\d)|claude-4[-.][15]-[a-z]"),
        _BUDGETS,
        budget=True,
        one_sampler=True,
    ),
    Claude(re.compile(r"claude-[a-z]+-4[-.]5"), _BUDGETS, budget=True, one_sampler=True, schemas=True),
    Claude(re.compile(r"claude-[a-z]+-4[-.]6"), _LEVELS, one_sampler=True, schemas=True),
    Claude(
        re.compile(r"claude-[a-z]+-(?:4[-.][7-9]|[5-9])"),
        ("none", "low", "medium", "high", "xhigh", "max"),
        refused=_SAMPLING,
        schemas=True,
    ),
    Claude(re.compile(r"claude"), ("none", "low", "medium", "high"), one_sampler=True),
)
"""The generations.

The first generation whose pattern is found in a model's name applies. The last row is for unknown versions. It holds
the efforts that every reasoning Claude takes.
"""


def claude_of(model: str) -> Claude | None:
    """Return the rules of *model*, or None if it is no Claude. The names of cloud providers are recognised too.

    An example is ``us.anthropic.claude-opus-4-6-v1``.
    """
    return next((facts for facts in _GENERATIONS if facts.names.search(model.lower())), None)
