"""Tests of what is left of the limits of a key."""

from __future__ import annotations

from proxy.state.limits.claims import Claims, RateClaim, Standing, Verdict
from proxy.state.limits.limit_table import KeyLimits, LimitTable
from proxy.state.limits.standings import Standings
from tests.support.limited_keys import limited


def limits_of(**team: int) -> KeyLimits:
    """Return the limits of a key with 60 requests and 600 tokens, whose team has those of *team*."""
    settings = limited(
        {"name": "a", "rpm_limit": 60, "tpm_limit": 600, "team": "blue"}, teams=[{"name": "blue", **team}]
    )
    found = LimitTable(settings).limits_of("a")
    assert found is not None
    return found


def note(standings: Standings, limits: KeyLimits, *used_s: float) -> None:
    """Note at 100 s that the buckets of *limits* are full again after *used_s*."""
    buckets = [bucket for holder in limits.holders for bucket in (holder.requests, holder.tokens) if bucket]
    rates = tuple(RateClaim(bucket, 1) for bucket in buckets)
    standings.note(Claims("", rates), Verdict(True, (), tuple(int(each * 1e6) for each in used_s), ()), 100.0)


def test_buckets_of_which_nothing_was_heard_are_full() -> None:
    assert Standings().standing_of(limits_of(), 100.0) == Standing(60, 60, 0.0, 600, 600, 0.0)


def test_use_flows_back_with_time() -> None:
    standings, limits = Standings(), limits_of()
    note(standings, limits, 10.0, 30.0)

    assert standings.standing_of(limits, 100.0) == Standing(60, 50, 10.0, 600, 300, 30.0)
    assert standings.standing_of(limits, 108.0) == Standing(60, 58, 2.0, 600, 380, 22.0)
    assert standings.standing_of(limits, 500.0) == Standing(60, 60, 0.0, 600, 600, 0.0)


def test_each_kind_is_that_of_the_holder_with_the_least_left() -> None:
    standings, limits = Standings(), limits_of(rpm_limit=30, tpm_limit=6_000)
    note(standings, limits, 0.0, 30.0, 10.0, 50.0)

    assert standings.standing_of(limits, 100.0) == Standing(30, 25, 10.0, 600, 300, 30.0)


def test_debt_leaves_nothing_and_a_long_reset() -> None:
    standings, limits = Standings(), limits_of()
    note(standings, limits, 0.0, 90.0)

    assert standings.standing_of(limits, 100.0) == Standing(60, 60, 0.0, 600, 0, 90.0)


def test_kind_without_a_limit_is_none() -> None:
    settings = limited({"name": "a", "tpm_limit": 600})
    limits = LimitTable(settings).limits_of("a")

    assert limits is not None
    assert Standings().standing_of(limits, 1.0) == Standing(None, None, None, 600, 600, 0.0)
