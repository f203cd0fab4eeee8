"""Turns the operator's budget settings into a policy: the preset's row, with the values that are set over it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from proxy.config.schema.policies import Budget
from sanitizers.budget import PRESETS, Cap, CutPolicy

_FIELDS = ("high", "low", "hard", "last_turns", "unknown_window")
"""Fields of a policy that a setting of the same name replaces."""

_SET = attrgetter("preset", "cap", "exclude_tools", "notice", *_FIELDS)


def policy_of(settings: Budget) -> CutPolicy:
    """Return the policy that *settings* describe."""
    return _policy(_SET(settings))


@lru_cache(maxsize=16)
def _policy(values: tuple[Any, ...]) -> CutPolicy:
    """Return the policy for the *values* that :data:`_SET` reads. The result is cached, since each request needs it."""
    preset, cap, excluded, notice, *fields = values
    given = {name: value for name, value in zip(_FIELDS, fields, strict=True) if value is not None}
    if cap is not None:
        given["ingest"] = Cap(cap)
    policy = PRESETS[preset]
    return replace(policy, excluded_tools=frozenset(excluded), notice=policy.notice and notice, **given)
