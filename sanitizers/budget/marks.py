"""The marks where cutting begins and ends, and the presets for what may be cut: one table row for each preset.

The high and the low mark are far apart so that cuts are rare. Between two cuts, every request begins with the text of
the request before, so that providers' prompt caches hit. A window that slides with every request costs more than not
cutting at all.

A preset's row names the origin of its values. A value that an operator sets replaces the value of the row
(``dataclasses.replace``).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from sanitizers.budget.cap_text import Cap

AGED_CAP = Cap(characters=6_000, bytes=10 * 1024, lines=256)
"""The cap for an old tool result when room is needed: 6,000 characters (LocalCowork), 10 KiB and 256 lines (codex)."""

_QUANTUM = 1_024
_COARSEST = 16


@dataclass(frozen=True, slots=True)
class CutPolicy:
    """The rules for what may be cut, how far, and when. Shares are fractions of 1.0."""

    name: str
    """The preset's name."""

    window_share: float = 1.0
    """The share of the limit (see :func:`marks_for`) that a request may fill."""

    unknown_window: int | None = None
    """Tokens to assume where a model's window is unknown.

    With None, no request to such a model is cut until the provider's overflow error tells the window.
    """

    high: float | None = 1.0
    """The share of the available tokens above which a request is cut, or None to cut never."""

    low: float = 0.5
    """The share of the available tokens to which a request above the high mark is cut."""

    headroom: int = 0
    """The number of available tokens that a request must leave free.

    The headroom lowers the high mark, but at most to halfway between the low mark and the available tokens.
    """

    hard: float | None = 0.95
    """The share of a known limit above which a request is refused, or None to refuse nothing."""

    ingest: Cap | None = None
    """The cap that every tool result gets when it arrives, whatever the budget, or None for no such cap."""

    aged: Cap | None = AGED_CAP
    """The cap for old tool results when room is needed, or None to cap none of them."""

    clear: bool = True
    """Old tool results may be cleared when room is needed."""

    drop: bool = True
    """Whole rounds may be dropped when room is needed, oldest first."""

    middle: bool = True
    """The middle of the largest text that must be kept may be cut when nothing else is left."""

    recent: int = 3
    """The number of newest rounds with tool results that are neither capped nor cleared."""

    least_capped: int = 500
    """Tokens above which an old result is worth capping. 6,000 characters are 1,500 to 2,700 tokens."""

    least_cleared: int = 96
    """Tokens above which an old result is worth clearing. The text that replaces the result has about twenty tokens."""

    kept_users: float = 0.1
    """The share of the low mark that user messages from dropped rounds may keep, newest first."""

    excluded_tools: frozenset[str] = frozenset()
    """Names of tools whose results are never capped or cleared. Their rounds may still be dropped."""

    last_turns: int = 0
    """The number of newest turns to keep, where 0 keeps all. A turn begins with a user message."""

    notice: bool = True
    """One neutral message tells the model how many messages were removed.

    Such a notice can change an agent's behaviour (OpenHands#6634). So an operator can switch it off. The change list
    reports the removed messages even without a notice.
    """


CUT_NOTHING = CutPolicy(
    "off", high=None, hard=None, aged=None, clear=False, drop=False, middle=False, notice=False
)
"""Cuts nothing and refuses nothing."""

PRESETS = MappingProxyType(
    {
        policy.name: policy
        for policy in (
            # Nothing is cut until a request would not fit, and then it is cut to half. Below half, the measured
            # gain flattens. At 85 %, a session is cut three times as often.
            CutPolicy("balanced"),
            # As lango: about half of a model's window, and 32K where the model is unknown: half of 64K.
            CutPolicy("lango", window_share=0.5, unknown_window=65_536),
            # As LocalCowork: 6,000 characters of every tool result, cut when fewer than 5,000 tokens are left of a
            # 32K window.
            CutPolicy("localcowork", unknown_window=32_768, headroom=5_000, ingest=Cap(6_000)),
            # As codex and adk-code: 10 KiB and 128 + 128 lines of every tool result, and a hard limit at 95 %.
            CutPolicy("codex", ingest=Cap(10 * 1024, bytes=10 * 1024, lines=256)),
            # A request goes out as it is, and the provider's error comes back as it is.
            CUT_NOTHING,
        )
    }
)
"""The presets by name. ``balanced`` is the default."""


class FixedTokens(NamedTuple):
    """The tokens of one request that no cut can change. *tools* counts the tools and all else that is no message.

    *system* counts the system messages that lead the history.
    """

    tools: int = 0
    system: int = 0


NOTHING_FIXED = FixedTokens()


@dataclass(frozen=True, slots=True)
class Marks:
    """The budget of one request in tokens, from which the fixed tokens are already subtracted.

    *available* is the number of tokens that all messages after the leading system messages may have. Cutting begins
    above *high* and ends at *low*, and the request is refused above *hard*. A mark that does not exist is None. *tools*
    and *system* are as in :class:`FixedTokens`.
    """

    available: int | None = None
    high: int | None = None
    low: int | None = None
    hard: int | None = None
    tools: int = 0
    system: int = 0

    @property
    def fixed(self) -> int:
        """The tokens that no cut can change: leading system messages, and tools."""
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

    *limit* is min(max input, window - output reserve) in tokens, or None where the window is unknown. *margin* is the
    share of the limit that is kept free for the estimate's error. *assumed* says that the limit is the policy's
    assumption about an unknown window. Such a limit refuses nothing.

    The input budget is limit x share x (1 - margin). The available tokens are the input budget less the fixed tokens.
    This number is rounded down to steps of 1,024, or to finer steps where it is small. So small differences between two
    requests do not move a cut.
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
        high = min(high, max(0, hard))  # with a small margin, cutting would begin above the hard mark
    return Marks(available, high, min(low, high), hard, *fixed)
