"""Tests of the refusals of keys: those that time does not help, and those that are remembered."""

from __future__ import annotations

from math import inf

import pytest

from proxy.state.limits.claims import Need, Refusal
from proxy.state.limits.limiter import Limiter
from tests.support.limited_keys import Clock, limited

MISFITS: dict[str, tuple[Need, Refusal]] = {
    "more tokens than the team's bucket": (Need(51, 0, 9.0), Refusal("tokens", "team", inf, most=50)),
    "more money than the key's budget": (Need(1, 10**9 + 1, 9.0), Refusal("budget", "key", inf, most=10**9)),
}


@pytest.mark.parametrize(("need", "refusal"), MISFITS.values(), ids=MISFITS)
async def test_request_that_exceeds_a_whole_limit_never_fits(need: Need, refusal: Refusal) -> None:
    limiter = _limiter([{"name": "a", "max_budget": 1, "team": "t"}], [{"name": "t", "tpm_limit": 50}])

    assert await limiter.admit("a", "", need) == refusal


async def test_key_that_is_called_like_a_bucket_slows_no_other_key() -> None:
    """The bucket of the key ``a`` is kept under the same name as the spend of the key ``a:requests``."""
    limiter = _limiter([{"name": "a", "rpm_limit": 5}, {"name": "a:requests", "max_budget": 1}])
    limiter.count("a:requests", nano_usd=2 * 10**9, estimated_nano=0, tokens=1)

    assert isinstance(await limiter.admit("a:requests", "", Need(0, 1, 9.0)), Refusal)
    assert limiter.find_refusal("a:requests", 0.0) is not None
    assert limiter.find_refusal("a", 0.0) is None


def _limiter(keys: list[dict[str, object]], teams: list[dict[str, object]] | None = None) -> Limiter:
    return Limiter(limited(*keys, teams=teams), wall=Clock(), clock=Clock(100.0))
