"""The operator's limits for a turn, and the settings for what happens at a limit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Literal

DELEGATION_TOOLS = ("transfer_to_*", "handoff_*", "delegate_*", "task")
"""Name patterns of tools that delegate: they hand the task to another agent.

The patterns match google-adk's ``transfer_to_agent`` and openai-agents' ``transfer_to_<agent>``. They also match the
tools of langgraph-supervisor and crewAI, and the ``task`` of coding agents.
"""


FINAL_TOOLS = ("final_result*", "final_answer", "attempt_completion")
"""Name patterns of tools that give the final answer, in pydantic-ai, smolagents and Cline."""


@dataclass(frozen=True, slots=True)
class TurnPolicy:
    """The limits of one request. 0 switches a limit off."""

    mode: Literal["warn", "enforce"] = "warn"
    max_rounds: int = 25
    max_rounds_multi_agent: int = 50
    warn_at: float = 0.8
    """The share of the limit from which a warning is given."""

    max_delegation_rounds: int = 10
    max_calls_per_turn: int = 10
    max_repeats: int = 5
    """The number of equal cycles of rounds in a row that make a loop."""

    hint_after_errors: int = 0
    """The number of failures of one tool after which a note asks the model to try another way."""

    tell_model: bool = False
    """True where a note gives the warning to the model, and a tool's description states the limit of delegation."""

    delegation_tools: tuple[str, ...] = DELEGATION_TOOLS
    final_tools: tuple[str, ...] = FINAL_TOOLS
    """Name patterns of the tools that may be called when the model has to finish."""

    @property
    def changes_nothing(self) -> bool:
        """True where neither the request nor the answer is ever changed."""
        return self.mode == "warn" and not self.tell_model and not self.hint_after_errors

    def lowered(self, asked: int) -> TurnPolicy:
        """Return the policy with limits of at most *asked* rounds. The client sets *asked*, which is at least 1."""
        return replace(
            self,
            max_rounds=min(self.max_rounds or asked, asked),
            max_rounds_multi_agent=min(self.max_rounds_multi_agent or asked, asked),
        )

    def limit(self, *, multi_agent: bool) -> int:
        """Return the limit of rounds. *multi_agent* says that tools of the request delegate. 0 means no limit."""
        return self.max_rounds_multi_agent if multi_agent else self.max_rounds

    def warning_from(self, limit: int) -> int:
        """Return the number of rounds from which a warning is given. 0 means never."""
        return ceil(round(limit * self.warn_at, 6)) if limit else 0  # 0.55 of 100 is 55.00000000000001

    def delegates(self, name: str) -> bool:
        """Tell whether a tool of this *name* delegates."""
        if len(name) > _LONGEST_KEPT:
            return _delegates(self.delegation_tools, name)
        return _delegates_kept(self.delegation_tools, name)

    def finishes(self, name: str) -> bool:
        """Tell whether a call of a tool of this *name* is the final answer."""
        return _matcher(self.final_tools).fullmatch(name.lower()) is not None

    def delegating(self, names: Iterable[str]) -> list[str]:
        """Return those of *names* that delegate."""
        return [name for name in names if self.delegates(name)]

    def counts_as(self, names: Collection[str]) -> tuple[bool, bool]:
        """Tell whether a round that calls *names* counts as work, and whether as delegation. Both may hold."""
        delegating = sum(map(self.delegates, names))
        return not delegating or delegating < len(names), delegating > 0


def _delegates(patterns: tuple[str, ...], name: str) -> bool:
    return _matcher(patterns).fullmatch(name.lower()) is not None


_LONGEST_KEPT = 128
_delegates_kept = lru_cache(maxsize=4096)(_delegates)
"""A cached version of :func:`_delegates`.

The cache is for short names alone, which come with every call of every request.
"""


@lru_cache(maxsize=64)
def _matcher(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return a pattern for any of *patterns*. Only ``*`` is special, and case does not count."""
    alternatives = (re.escape(pattern.lower()).replace(r"\*", ".*") for pattern in patterns)
    return re.compile("|".join(alternatives) or r"(?!)", re.DOTALL)
