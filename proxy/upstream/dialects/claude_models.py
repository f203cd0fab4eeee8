"""What Claude's models take, by version: reasoning, sampling, forms of the answer. Pure.

Sources (2026-11): Anthropic's pages on thinking ("Thinking in tool and multi-turn workflows", "Thinking
troubleshooting", "Adaptive thinking"); ``temperature`` beside ``top_p`` otoroshi-llm-extension#140 (Opus 4.1, Sonnet
and Haiku 4.5), skydiscover#15 (4.6); sampling that is refused altogether models.dev#1468 (Opus 4.7 and later); what
litellm 1.105.3 was seen to send for each.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_BUDGETS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_LEVELS = ("none", "low", "medium", "high", "max")

_SAMPLING = frozenset({"temperature", "top_k", "top_p"})


@dataclass(frozen=True, slots=True)
class Claude:
    """The facts of one generation. *budget* is for extended thinking, with a budget of tokens; later models adapt."""

    names: re.Pattern[str]
    efforts: tuple[str, ...] | None = None
    budget: bool = False
    one_sampler: bool = False
    refused: frozenset[str] = frozenset()
    schemas: bool = False
    """litellm asks for a JSON schema as such; otherwise it makes it a tool that must be called."""


_GENERATIONS = (
    Claude(re.compile(r"claude-(?:2|instant|3-(?:opus|sonnet|haiku)|3[-.]5)")),
    Claude(
        re.compile(r"claude-3[-.]7|claude-(?:sonnet|opus)-4(?:[-.]0|-\d{8}|@|$)|claude-4-(?:sonnet|opus)"),
        _BUDGETS,
        budget=True,
    ),
    # `claude-4.5-sonnet` is asked for a schema by a tool: litellm does not know it for 4.5.
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
"""The first that is found in a model's name counts; the last is what every model takes that reasons."""


def claude_of(model: str) -> Claude | None:
    """Return the facts of *model*, by whichever route (``us.anthropic.claude-opus-4-6-v1``); None for no Claude."""
    return next((facts for facts in _GENERATIONS if facts.names.search(model.lower())), None)
