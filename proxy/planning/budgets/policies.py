"""The operator's budget settings as a policy: the preset's row, with the single values that are set over it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

from proxy.config.schema.policies import Budget
from sanitizers.budget import PRESETS, Cap, CutPolicy


def policy_of(settings: Budget) -> CutPolicy:
    """Return the policy that *settings* ask for."""
    return _policy(
        settings.preset,
        settings.high,
        settings.low,
        settings.hard,
        settings.cap,
        settings.last_turns,
        settings.unknown_window,
        tuple(settings.exclude_tools),
        settings.notice,
    )


@lru_cache(maxsize=16)
def _policy(
    preset: str,
    high: float | None,
    low: float | None,
    hard: float | None,
    cap: int | None,
    last_turns: int | None,
    unknown_window: int | None,
    excluded: tuple[str, ...],
    notice: bool,
) -> CutPolicy:
    values: dict[str, Any] = {"high": high, "low": low, "hard": hard, "last_turns": last_turns}
    values |= {"unknown_window": unknown_window, "ingest": None if cap is None else Cap(cap)}
    given = {name: value for name, value in values.items() if value is not None}
    policy = PRESETS[preset]
    return replace(policy, excluded_tools=frozenset(excluded), notice=policy.notice and notice, **given)
