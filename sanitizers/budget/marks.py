"""Where cutting begins and ends, and what may be cut: the presets, one table row each.

High and low mark lie apart so that a cut is rare: cutting down to half means that the next cut is far away, and in
between every request begins with the one before it, word for word, which is what providers' prompt caches pay for.
A window that slides with every request costs more than not cutting at all.

A preset's row says where each of its values comes from. A single value that an operator sets replaces the row's
(``dataclasses.replace``).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from sanitizers.budget.cap_text import Cap

AGED_CAP = Cap(characters=6_000, bytes=10 * 1024, lines=256)
"""What is left of an old tool result when room is needed: the seeds' limits as one rule."""

_QUANTUM = 1_024
_COARSEST = 16


@dataclass(frozen=True, slots=True)
class CutPolicy:
    """What may be cut, how far, and when. Shares are of 1.0."""

    name: str
    """The preset's name."""

    window_share: float = 1.0
    """The share of the limit that is budgeted."""

    unknown_window: int | None = None
    """Tokens to assume where a model's window is unknown; None cuts nothing there: the overflow error teaches it."""

    high: float | None = 1.0
    """The share of what is available above which a request is cut; None never cuts."""

    low: float = 0.5
    """The share of what is available down to which it is cut."""

    headroom: int = 0
    """Tokens that must stay free below what is available: the high mark is that much lower, whatever its share."""

    hard: float | None = 0.95
    """The share of a known limit above which a request is refused; None refuses nothing."""

    ingest: Cap | None = None
    """The cap that every tool result gets at once, whatever the budget; None caps none at once."""

    aged: Cap | None = AGED_CAP
    """The cap that old tool results get when room is needed; None leaves them."""

    clear: bool = True
    """Old tool results may be cleared when room is needed."""

    drop: bool = True
    """Whole rounds may be dropped when room is needed, oldest first."""

    middle: bool = True
    """The middle of the largest text that must be kept may be cut when nothing else is left."""

    recent: int = 3
    """How many of the newest rounds with tool results are neither capped nor cleared."""

    least_capped: int = 500
    """Tokens above which an old result is worth capping; 6,000 characters are 1,500 to 2,700."""

    least_cleared: int = 96
    """Tokens above which an old result is worth clearing; the text that takes its place has about twenty."""

    kept_users: float = 0.1
    """The share of the low mark that the user's words from dropped rounds may keep, newest first."""

    excluded_tools: frozenset[str] = frozenset()
    """Names of tools whose results are never capped or cleared; their rounds can still be dropped."""

    last_turns: int = 0
    """How many of the newest turns are kept; 0 keeps all. A turn begins with the user's words."""

    notice: bool = True
    """One neutral message tells the model how many messages were removed. Such a notice can change what an agent does
    (OpenHands#6634), so that it can be switched off; the change list tells the same in any case."""


NOTHING = CutPolicy(
    "off", high=None, hard=None, aged=None, clear=False, drop=False, middle=False, notice=False
)
"""Cuts nothing and refuses nothing."""

PRESETS = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            # The design: nothing is touched until a request would not fit, then it is cut to half. Half is the knee
            # of the measured cost: below it the gain flattens, and at 85 % a session is cut three times as often.
            CutPolicy("balanced"),
            # Seed 000 (lango): about half of a model's window, and 32K where the model is unknown: half of 64K.
            CutPolicy("lango", window_share=0.5, unknown_window=65_536),
            # Seed 002 (LocalCowork): 6,000 characters of every tool result, cut when fewer than 5,000 tokens are
            # left of a 32K window. Its fixed overheads are measured with every preset.
            CutPolicy("localcowork", unknown_window=32_768, headroom=5_000, ingest=Cap(6_000)),
            # Seed 001 (adk-code, after codex): 10 KiB and 128 + 128 lines of every tool result, a hard limit at 95 %.
            CutPolicy("codex", ingest=Cap(10 * 1024, bytes=10 * 1024, lines=256)),
            # A request goes out as it is, and the provider's error comes back as it is.
            NOTHING,
        )
    }
)
"""The presets by name; ``balanced`` is the default."""


class FixedTokens(NamedTuple):
    """The tokens of one request that no cut can change: *tools*, with all else that is no message, and *system*.

    *system* are the system messages that lead the history.
    """

    tools: int = 0
    system: int = 0


NOTHING_FIXED = FixedTokens()


@dataclass(frozen=True, slots=True)
class Marks:
    """The budget of one request, in tokens of its turns: system messages that lead, and tools, are taken off before.

    *available* is what the turns may have, *high* and *low* are where cutting begins and ends, *hard* is where the
    request is refused; None where there is no such mark. *tools* (with everything else that is no message) and
    *system* are the fixed part, for the sums that are told.
    """

    available: int | None = None
    high: int | None = None
    low: int | None = None
    hard: int | None = None
    tools: int = 0
    system: int = 0

    @property
    def fixed(self) -> int:
        """The tokens that no cut can change: system messages that lead, and tools."""
        return self.tools + self.system

    def lowered(self, excess: int) -> Marks:
        """Return marks for another round: the high mark *excess* tokens lower, the low mark in proportion."""
        if self.high is None or self.low is None:
            return self
        ceiling = self.high if self.hard is None else min(self.high, self.hard)
        high = max(0, ceiling - excess)
        return Marks(
            self.available, high, self.low * high // max(1, self.high), self.hard, self.tools, self.system
        )


def marks_for(
    policy: CutPolicy,
    *,
    limit: int | None,
    margin: float = 0.0,
    assumed: bool = False,
    fixed: FixedTokens = NOTHING_FIXED,
) -> Marks:
    """Return the marks for one request under *policy*.

    *limit* is min(max input, window - output reserve) in tokens, None where the window is unknown; *margin* is the
    share of it that is kept free for the estimate's error. *assumed* says that the limit is the policy's assumption
    about an unknown window: nothing is refused by it.

    input budget = limit x share x (1 - margin); available = input budget - fixed tokens, rounded down to steps of
    1,024 (finer where little is available), so that small differences do not move a cut.
    """
    if limit is None:
        return Marks(None, None, None, None, *fixed)
    hard = None if policy.hard is None or assumed else int(limit * policy.hard) - sum(fixed)
    available = max(0, int(limit * policy.window_share * (1.0 - margin)) - sum(fixed))
    step = _QUANTUM
    while step > 1 and available < _COARSEST * step:
        step //= 2
    available -= available % step
    if policy.high is None:
        return Marks(available, None, None, hard, *fixed)
    low = int(available * policy.low)
    high = int(available * policy.high)
    if policy.headroom:
        high = min(high, max(available - policy.headroom, (low + available) // 2))
    if hard is not None:
        high = min(high, max(0, hard))  # a margin below the hard mark's would cut too late
    return Marks(available, high, min(low, high), hard, *fixed)
