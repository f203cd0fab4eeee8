"""The rules of Claude's models by version: reasoning, sampling and formats of the answer.

Sources (2026-11): Anthropic's pages on thinking ("Thinking in tool and multi-turn workflows", "Thinking
troubleshooting", "Adaptive thinking"). On ``temperature`` together with ``top_p``: otoroshi-llm-extension#140 (Opus
4.1, Sonnet and Haiku 4.5) and skydiscover#15 (4.6). On sampling that is always refused: models.dev#1468 (Opus 4.7 and
later). Runs of litellm 1.105.3 showed the requests that it sends for each model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

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
    """True where a JSON schema can be asked for, of an answer and, strictly, of a call.

    Otherwise litellm turns the schema of an answer into a tool that must be called.
    """

    output: int = 128_000
    """The most tokens of an answer (Anthropic's models overview)."""

    shared_window: int | None = None
    """The window that a prompt and the limit of its answer must not exceed together.

    Later models end such an answer with ``model_context_window_exceeded`` instead of refusing the request.
    """

    hides_thoughts: bool = False
    """True where thoughts come without their text unless the request asks for a summary."""

    takes_systems: bool = False
    """True where system messages may stand between turns."""

    always_thinks: bool = False
    """True where thinking cannot be turned off."""

    def most_output(self, model: str) -> int:
        """Return the most tokens of an answer of *model*. The older Opus gives half as many."""
        return 32_000 if self.shared_window is not None and "opus-4" in model else self.output


_WINDOW = 200_000
_ADAPTIVE = ("none", "low", "medium", "high", "xhigh", "max")

_GENERATIONS = (
    Claude(re.compile(r"claude-(?:2|instant|3-(?:opus|sonnet|haiku))"), output=4_096, shared_window=_WINDOW),
    Claude(re.compile(r"claude-3[-.]5"), output=8_192, shared_window=_WINDOW),
    Claude(
        re.compile(r"claude-3[-.]7|claude-(?:sonnet|opus)-4(?:[-.]0|-\d{8}|@|$)|claude-4-(?:sonnet|opus)"),
        _BUDGETS,
        budget=True,
        output=64_000,
        shared_window=_WINDOW,
    ),
    # litellm asks `claude-4.5-sonnet` for a schema by a tool, since it does not know this spelling of 4.5.
    Claude(
        re.compile(r"claude-opus-4[-.]1(?!\d)|claude-4[-.][15]-[a-z]"),
        _BUDGETS,
        budget=True,
        one_sampler=True,
        output=64_000,
        shared_window=_WINDOW,
    ),
    Claude(
        re.compile(r"claude-[a-z]+-4[-.]5"),
        _BUDGETS,
        budget=True,
        one_sampler=True,
        schemas=True,
        output=64_000,
    ),
    Claude(re.compile(r"claude-[a-z]+-4[-.]6"), _LEVELS, one_sampler=True, schemas=True),
    Claude(
        re.compile(r"claude-[a-z]+-4[-.]7"),
        _ADAPTIVE,
        refused=_SAMPLING,
        schemas=True,
        hides_thoughts=True,
    ),
    Claude(
        re.compile(r"claude-[a-z]+-4[-.][89]"),
        _ADAPTIVE,
        refused=_SAMPLING,
        schemas=True,
        hides_thoughts=True,
        takes_systems=True,
    ),
    Claude(
        re.compile(r"claude-(?:fable|mythos)-"),
        _ADAPTIVE,
        refused=_SAMPLING,
        schemas=True,
        hides_thoughts=True,
        takes_systems=True,
        always_thinks=True,
    ),
    Claude(
        re.compile(r"claude-[a-z]+-[5-9]"),
        _ADAPTIVE,
        refused=_SAMPLING,
        schemas=True,
        hides_thoughts=True,
        takes_systems=True,
    ),
    Claude(re.compile(r"claude"), ("none", "low", "medium", "high"), one_sampler=True, output=32_000),
)
"""The generations.

The first generation whose pattern is found in a model's name applies. The last row is for unknown versions. It holds
the efforts that every reasoning Claude takes.
"""


@lru_cache(maxsize=1024)
def claude_of(model: str) -> Claude | None:
    """Return the rules of *model*, or None if it is no Claude. The names of cloud providers are recognised too.

    An example is ``us.anthropic.claude-opus-4-6-v1``.
    """
    return next((facts for facts in _GENERATIONS if facts.names.search(model.lower())), None)
