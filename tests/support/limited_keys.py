"""Builds settings with limited keys, claims, and a clock that a test moves."""

from __future__ import annotations

from typing import Any

from proxy.config import Settings
from proxy.state.limits.claims import (
    Bucket,
    Change,
    Claims,
    ParallelClaim,
    RateClaim,
    Settlement,
    SpendClaim,
)
from proxy.state.limits.periods import EVER, Period
from tests.support.proxied import settings_of

FOREVER = Period(EVER, None)
SLOW = 6
"""A limit a minute. It fills by one in ten seconds, so that a test's own time plays no part."""


class Clock:
    """A clock that a test moves."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def limited(*keys: dict[str, Any], teams: list[dict[str, Any]] | None = None, **sections: Any) -> Settings:
    """Return settings with *keys* and *teams*. A key needs a name alone."""
    made = [{"key": f"sk-{key['name']:-<32}", **key} for key in keys]
    return settings_of(general_settings={"keys": made, "teams": teams or []}, **sections)


def bucket(name: str = "b", per_minute: int = SLOW, capacity: int | None = None) -> Bucket:
    """Return a bucket that holds *per_minute*, unless *capacity* is given."""
    return Bucket(name, per_minute, per_minute if capacity is None else capacity)


def rate(name: str = "b", amount: int = 1, per_minute: int = SLOW, capacity: int | None = None) -> RateClaim:
    """Return a claim on a bucket."""
    return RateClaim(bucket(name, per_minute, capacity), amount)


def place(name: str = "p", most: int = 2, lifetime_s: float = 60.0) -> ParallelClaim:
    """Return a claim on a place."""
    return ParallelClaim(name, most, lifetime_s)


def money(
    reserve: int, limit: int | None = 100, account: str = "key:a", lifetime_s: float = 60.0
) -> SpendClaim:
    """Return a claim on money."""
    return SpendClaim(account, FOREVER, limit, reserve, lifetime_s)


def settled(claims: Claims, used: dict[str, int] | None = None) -> Settlement:
    """Return the settlement of *claims*: *used* names what was used of each bucket, else all that was claimed."""
    changes = tuple(
        Change(each.bucket, each.amount, (used or {}).get(each.bucket.name, each.amount))
        for each in claims.rates
    )
    return Settlement(claims.id, changes, claims.parallel, claims.spends)
