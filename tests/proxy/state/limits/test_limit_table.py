"""Tests of the limits of each key, from the configuration."""

from __future__ import annotations

import pytest

from proxy.state.limits.claims import Bucket
from proxy.state.limits.limit_table import LimitTable
from tests.support.limited_keys import limited

TEAM = {"name": "blue", "tpm_limit": 500, "max_budget": 2}


def test_key_without_limits_has_none() -> None:
    table = LimitTable(limited({"name": "a"}, {"name": "b", "team": "grey"}, teams=[{"name": "grey"}]))

    assert [table.limits_of(name) for name in ("a", "b", "", "unknown")] == [None] * 4


def test_limits_of_the_team_hold_for_its_keys() -> None:
    limits = LimitTable(limited({"name": "a", "rpm_limit": 60, "team": "blue"}, teams=[TEAM])).limits_of("a")

    assert limits is not None
    assert [holder.account for holder in limits.holders] == ["key:a", "team:blue"]
    assert limits.claims == (("requests", "key"), ("tokens", "team"), ("budget", "team"))
    assert (limits.counts_tokens, limits.has_budget, limits.largest_tokens) == (True, True, 500)


def test_holder_without_limits_claims_nothing() -> None:
    limits = LimitTable(limited({"name": "a", "team": "blue"}, teams=[TEAM])).limits_of("a")

    assert limits is not None
    assert [holder.account for holder in limits.holders] == ["team:blue"]


def test_claims_are_rates_then_places_then_money() -> None:
    key = {"name": "a", "rpm_limit": 1, "tpm_limit": 2, "max_parallel_requests": 3, "max_budget": 4}
    team = {"name": "blue", "rpm_limit": 5, "tpm_limit": 6, "max_parallel_requests": 7, "max_budget": 8}
    limits = LimitTable(limited({**key, "team": "blue"}, teams=[team])).limits_of("a")

    assert limits is not None
    assert [f"{kind} {holder}" for kind, holder in limits.claims] == [
        "requests key",
        "tokens key",
        "requests team",
        "tokens team",
        "parallel key",
        "parallel team",
        "budget key",
        "budget team",
    ]


def test_smaller_token_limit_bounds_a_request() -> None:
    limits = LimitTable(limited({"name": "a", "tpm_limit": 900, "team": "blue"}, teams=[TEAM])).limits_of("a")

    assert limits is not None
    assert (limits.largest_tokens, limits.holder_of_tokens) == (500, "team")


@pytest.mark.parametrize(("burst", "capacity"), [(1.0, 60), (0.1, 6), (0.001, 1)])
def test_burst_is_the_share_that_a_bucket_holds(burst: float, capacity: int) -> None:
    settings = limited({"name": "a", "rpm_limit": 60, "tpm_limit": 60}, limits={"burst": burst})
    limits = LimitTable(settings).limits_of("a")

    assert limits is not None
    assert limits.holders[0].requests == Bucket("key:a:requests", 60, capacity)
    assert limits.holders[0].tokens == Bucket("key:a:tokens", 60, capacity)
    assert limits.largest_tokens == capacity


@pytest.mark.parametrize(
    ("limit", "alone"),
    [({"rpm_limit": 1}, True), ({"rpm_limit": 1, "tpm_limit": 1}, False), ({"max_budget": 1}, False)],
    ids=str,
)
def test_key_with_requests_alone_is_known(limit: dict[str, int], alone: bool) -> None:
    limits = LimitTable(limited({"name": "a", **limit})).limits_of("a")

    assert limits is not None
    assert limits.limits_requests_alone is alone


def test_request_is_charged_to_the_key_and_its_team() -> None:
    table = LimitTable(limited({"name": "a", "team": "blue"}, {"name": "b"}, teams=[TEAM]))
    charged = {name: [holder.account for holder in table.holders_of(name)] for name in ("a", "b", "", "gone")}

    assert charged == {"a": ["key:a", "team:blue"], "b": ["key:b"], "": ["key:"], "gone": ["key:"]}
    assert [holder.account for holder in table.all_holders()] == ["key:a", "key:b", "team:blue", "key:"]
