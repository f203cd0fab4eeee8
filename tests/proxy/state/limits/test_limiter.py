"""Tests of the limiter: admission, refusals, settlement, and the time in which the store is down."""

from __future__ import annotations

from math import ceil, inf
from typing import Any

import pytest

from proxy.state.limits.admission import Admission
from proxy.state.limits.claims import DeploymentClaim, Need, Refusal, Standing, Unavailable
from proxy.state.limits.limiter import Limiter
from proxy.state.limits.spend_book import SpendBook
from tests.support.limited_keys import Clock, limited
from tests.support.shared_ledger import SharedLedger

DOLLAR = 10**9
MONTH_END = 1_801_440_000.0
"""The end of the month of the clock's first moment."""


class Limits:
    """A limiter with clocks that a test moves, over a ledger that may be out of reach."""

    def __init__(self, *keys: dict[str, Any], shared: bool = False, **settings: Any) -> None:
        self.clock, self.wall = Clock(1_000.0), Clock(1_800_000_000.0)
        book = SpendBook()
        self.ledger = SharedLedger(book, self.clock) if shared else None
        self.limiter = Limiter(
            limited(*keys, **settings), self.ledger, book, wall=self.wall, clock=self.clock
        )

    async def ask(self, key: str = "a", tokens: int = 0, nano: int = 0) -> Admission | Refusal | Unavailable:
        """Ask for a request."""
        return await self.limiter.admit(key, "id", Need(tokens, nano, 60.0))

    async def admit(self, key: str = "a", tokens: int = 0, nano: int = 0) -> Admission:
        """Ask for a request that has to be admitted."""
        found = await self.ask(key, tokens, nano)
        assert isinstance(found, Admission), found
        return found

    async def refuse(self, key: str = "a", tokens: int = 0, nano: int = 0) -> Refusal:
        """Ask for a request that has to be refused."""
        found = await self.ask(key, tokens, nano)
        assert isinstance(found, Refusal), found
        return found

    def sleep(self, seconds: float) -> None:
        """Move both clocks."""
        self.clock.now += seconds
        self.wall.now += seconds


async def test_admission_tells_what_is_left() -> None:
    limits = Limits({"name": "a", "rpm_limit": 60, "tpm_limit": 600})
    await limits.admit(tokens=100)

    assert (await limits.admit(tokens=100)).standing == Standing(60, 58, 2.0, 600, 400, 20.0)


async def test_refusal_names_the_limit_and_its_owner() -> None:
    limits = Limits(
        {"name": "a", "rpm_limit": 60, "team": "blue"}, teams=[{"name": "blue", "tpm_limit": 600}]
    )
    await limits.admit(tokens=600)
    refusal = await limits.refuse(tokens=60)

    assert (refusal.kind, refusal.holder, refusal.wait_s) == ("tokens", "team", 6.0)
    assert refusal.standing == Standing(60, 59, 1.0, 600, 0, 60.0)


async def test_longest_wait_is_told() -> None:
    limits = Limits({"name": "a", "rpm_limit": 1, "tpm_limit": 600, "max_parallel_requests": 1})
    await limits.admit(tokens=600)
    assert (await limits.refuse(tokens=5)).wait_s == 60.0

    limits = Limits({"name": "a", "rpm_limit": 60, "tpm_limit": 600, "max_parallel_requests": 1})
    await limits.admit(tokens=600)
    assert (await limits.refuse(tokens=300)).kind == "tokens"


async def test_client_that_waits_as_told_is_served() -> None:
    """The client is told whole milliseconds, rounded up."""
    limits = Limits({"name": "a", "rpm_limit": 7, "tpm_limit": 901})
    for _ in range(200):
        found = await limits.ask(tokens=130)
        if isinstance(found, Refusal):
            limits.sleep(ceil(found.wait_s * 1_000) / 1_000)
            found = await limits.ask(tokens=130)
        assert isinstance(found, Admission)


async def test_settlement_gives_tokens_back() -> None:
    limits = Limits({"name": "a", "tpm_limit": 600})
    (await limits.admit(tokens=600)).settle(nano_usd=0, estimated_nano=0, tokens=200)

    assert (await limits.admit(tokens=400)).standing.remaining_tokens == 0


async def test_settlement_ends_a_remembered_refusal() -> None:
    limits = Limits({"name": "a", "tpm_limit": 600})
    running = await limits.admit(tokens=600)
    await limits.refuse(tokens=300)
    running.settle(nano_usd=0, estimated_nano=0, tokens=100)

    await limits.admit(tokens=300)


async def test_release_gives_everything_back() -> None:
    limits = Limits(
        {"name": "a", "rpm_limit": 1, "tpm_limit": 9, "max_parallel_requests": 1, "max_budget": 1}
    )
    for _ in range(3):
        (await limits.admit(tokens=9, nano=DOLLAR)).release()

    assert limits.limiter.own_totals("a").requests == 0


async def test_request_ends_once() -> None:
    limits = Limits({"name": "a", "max_parallel_requests": 1, "max_budget": 1})
    admission = await limits.admit(nano=DOLLAR)
    for _ in range(3):
        admission.settle(nano_usd=DOLLAR // 4, estimated_nano=0, tokens=5)
        admission.release()
    totals = limits.limiter.own_totals("a")

    assert (totals.spent_nano, totals.reserved_nano, totals.tokens, totals.requests) == (DOLLAR // 4, 0, 5, 1)


async def test_spend_counts_for_the_key_and_its_team() -> None:
    limits = Limits(
        {"name": "a", "team": "blue", "rpm_limit": 9},
        {"name": "b", "team": "blue", "max_budget": 1},
        {"name": "c"},
        teams=[{"name": "blue"}],
    )
    (await limits.admit("a")).settle(nano_usd=10, estimated_nano=4, tokens=3)
    (await limits.admit("b", nano=50)).settle(nano_usd=20, estimated_nano=0, tokens=5)
    limits.limiter.count("c", nano_usd=5, estimated_nano=5, tokens=1)
    limits.limiter.count("", nano_usd=7, estimated_nano=0, tokens=2)

    totals = await limits.limiter.totals()
    assert {name: each.spent_nano for name, each in totals.items()} == {"a": 10, "b": 20, "c": 5, "": 7}
    assert {name: each.requests for name, each in totals.items()} == dict.fromkeys(("a", "b", "c", ""), 1)
    [team] = (await limits.limiter.team_totals()).values()
    assert (team.spent_nano, team.estimated_nano, team.tokens, team.requests) == (30, 4, 8, 2)
    assert await limits.limiter.find_totals("a") == (totals["a"], team)


async def test_used_up_budget_refuses_until_its_period_ends() -> None:
    limits = Limits({"name": "a", "max_budget": 1, "budget_duration": "1mo"})
    (await limits.admit(nano=DOLLAR)).settle(nano_usd=DOLLAR, estimated_nano=0, tokens=1)
    refusal = await limits.refuse(nano=1)

    assert (refusal.kind, refusal.holder, refusal.wait_s) == ("budget", "key", MONTH_END - 1_800_000_000.0)
    assert limits.limiter.find_refusal("a", limits.clock.now) == refusal
    limits.sleep(refusal.wait_s)
    assert limits.limiter.find_refusal("a", limits.clock.now) is None
    await limits.admit(nano=DOLLAR)


async def test_budget_without_a_period_never_comes_back() -> None:
    limits = Limits({"name": "a", "max_budget": 1})
    (await limits.admit(nano=DOLLAR)).settle(nano_usd=DOLLAR, estimated_nano=0, tokens=1)

    assert (await limits.refuse(nano=1)).wait_s == inf
    limits.sleep(10**8)
    assert (await limits.refuse(nano=1)).wait_s == inf


async def test_budget_that_is_only_reserved_refuses_nobody_for_long() -> None:
    limits = Limits({"name": "a", "max_budget": 1, "budget_duration": "1mo"})
    running = await limits.admit(nano=DOLLAR)
    await limits.refuse(nano=1)
    assert limits.limiter.find_refusal("a", limits.clock.now) is None
    running.settle(nano_usd=1, estimated_nano=0, tokens=1)
    limits.sleep(1.0)

    await limits.admit(nano=DOLLAR - 1)


async def test_request_across_the_end_of_a_period_is_charged_to_its_beginning() -> None:
    limits = Limits({"name": "a", "max_budget": 1, "budget_duration": "1h"})
    running = await limits.admit(nano=DOLLAR)
    limits.sleep(3_600)
    running.settle(nano_usd=DOLLAR, estimated_nano=0, tokens=1)

    await limits.admit(nano=DOLLAR)
    assert limits.limiter.own_totals("a").spent_nano == 0


async def test_reservation_is_raised_for_a_dearer_attempt() -> None:
    limits = Limits({"name": "a", "max_budget": 1, "budget_duration": "1h"})
    admission = await limits.admit(nano=100)
    assert await admission.raise_to(90) is None
    assert limits.limiter.own_totals("a").reserved_nano == 100
    assert await admission.raise_to(DOLLAR) is None
    assert limits.limiter.own_totals("a").reserved_nano == DOLLAR
    refusal = await admission.raise_to(DOLLAR + 1)

    assert refusal is not None
    assert (refusal.kind, refusal.holder) == ("budget", "key")
    admission.settle(nano_usd=7, estimated_nano=0, tokens=1)
    totals = limits.limiter.own_totals("a")
    assert (totals.spent_nano, totals.reserved_nano) == (7, 0)


async def test_key_without_a_budget_reserves_nothing() -> None:
    limits = Limits({"name": "a", "rpm_limit": 1})
    admission = await limits.admit(nano=100)

    assert await admission.raise_to(10**12) is None
    assert limits.limiter.own_totals("a").reserved_nano == 0


async def test_request_that_was_never_ended_is_charged_as_estimated() -> None:
    limits = Limits({"name": "a", "max_budget": 1, "max_parallel_requests": 1})
    await limits.admit(nano=DOLLAR // 2)
    limits.sleep(61.0)
    await limits.limiter.exchange()
    totals = limits.limiter.own_totals("a")

    assert (totals.spent_nano, totals.estimated_nano, totals.reserved_nano) == (DOLLAR // 2, DOLLAR // 2, 0)
    await limits.admit(nano=DOLLAR // 2)


async def test_refusal_is_remembered_until_its_wait_is_over() -> None:
    limits = Limits({"name": "a", "rpm_limit": 6}, {"name": "b", "rpm_limit": 6}, shared=True)
    for _ in range(6):
        await limits.admit()
    for _ in range(50):
        assert (await limits.refuse()).wait_s == 10.0
    assert limits.ledger is not None
    assert len(limits.ledger.asked) == 7
    found = limits.limiter.find_refusal("a", limits.clock.now + 4.0)
    assert found is not None
    assert (found.wait_s, found.standing) == (6.0, Standing(6, 0, 56.0))
    assert limits.limiter.find_refusal("b", limits.clock.now) is None
    limits.sleep(10.0)
    await limits.admit()


async def test_smaller_request_is_asked_for_though_a_larger_one_was_refused() -> None:
    limits = Limits({"name": "a", "tpm_limit": 600})
    await limits.admit(tokens=500)
    await limits.refuse(tokens=200)
    assert limits.limiter.find_refusal("a", limits.clock.now) is None

    await limits.admit(tokens=100)


async def test_refusal_of_the_team_is_remembered_for_all_its_keys() -> None:
    keys = [{"name": name, "team": "blue"} for name in "ab"]
    limits = Limits(*keys, teams=[{"name": "blue", "rpm_limit": 1}])
    await limits.admit("a")
    await limits.refuse("a")

    assert limits.limiter.find_refusal("b", limits.clock.now) is not None


async def test_request_larger_than_the_bucket_never_fits() -> None:
    limits = Limits({"name": "a", "tpm_limit": 600})
    refusal = await limits.refuse(tokens=601)

    assert (refusal.kind, refusal.most, refusal.wait_s) == ("tokens", 600, inf)
    await limits.admit(tokens=600)


@pytest.mark.parametrize(("rule", "granted"), [("share", 2), ("open", 50), ("refuse", 0)])
async def test_store_that_is_down_is_met_as_configured(rule: str, granted: int) -> None:
    limits = Limits({"name": "a", "rpm_limit": 6}, shared=True, limits={"on_store_down": rule})
    assert limits.ledger is not None
    limits.ledger.is_up = False
    found = [await limits.ask() for _ in range(50)]

    assert sum(isinstance(each, Admission) for each in found) == granted
    if rule == "refuse":
        assert all(isinstance(each, Unavailable) for each in found)


async def test_money_is_limited_while_the_store_is_down() -> None:
    for rule in ("share", "open"):
        limits = Limits({"name": "a", "max_budget": 1}, shared=True, limits={"on_store_down": rule})
        assert limits.ledger is not None
        (await limits.admit(nano=DOLLAR)).settle(nano_usd=DOLLAR // 2, estimated_nano=0, tokens=1)
        limits.ledger.is_up = False
        running = await limits.admit(nano=DOLLAR // 2)
        await limits.refuse(nano=1)
        assert await running.raise_to(DOLLAR // 2 + 1) is not None


async def test_reload_changes_the_limits_and_keeps_the_use() -> None:
    limits = Limits({"name": "a", "rpm_limit": 6, "max_budget": 1})
    for _ in range(6):
        (await limits.admit()).settle(nano_usd=10, estimated_nano=0, tokens=1)
    await limits.refuse()
    limits.limiter.follow_settings(limited({"name": "a", "rpm_limit": 12, "max_budget": 2}))
    assert limits.limiter.find_refusal("a", limits.clock.now) is None
    for _ in range(50):
        if isinstance(await limits.ask(), Refusal):
            break
    totals = limits.limiter.own_totals("a")

    assert (totals.spent_nano, totals.limit_nano) == (60, 2 * DOLLAR)


async def test_running_request_of_a_key_that_is_gone_is_charged() -> None:
    limits = Limits({"name": "a", "rpm_limit": 6, "max_budget": 1})
    admission = await limits.admit(nano=10)
    limits.limiter.follow_settings(limited({"name": "b"}))
    admission.settle(nano_usd=10, estimated_nano=0, tokens=1)
    limits.limiter.follow_settings(limited({"name": "a", "rpm_limit": 6, "max_budget": 1}))

    assert limits.limiter.own_totals("a").spent_nano == 10
    assert limits.limiter.limits_of("b") is None


async def wait_for_call(
    limiter: Limiter, identity: str, rpm: int | None, tpm: int | None, tokens: int
) -> float:
    """Claim a call, and return the seconds to wait for it. 0 means that the call was granted."""
    claimed = await limiter.admit_deployment(identity, rpm, tpm, tokens)
    return claimed if isinstance(claimed, float) else 0.0


async def test_limits_of_a_deployment_hold_for_all_keys() -> None:
    limiter = Limits({"name": "a"}).limiter
    waits = [await wait_for_call(limiter, "d", 2, None, 10) for _ in range(3)]

    assert waits == [0.0, 0.0, 30.0]
    assert await wait_for_call(limiter, "e", 2, None, 10) == 0.0
    assert await wait_for_call(limiter, "d", None, None, 10) == 0.0


async def test_tokens_of_a_deployment_are_limited_and_large_requests_wait_for_a_full_bucket() -> None:
    limits = Limits({"name": "a"})
    assert await wait_for_call(limits.limiter, "d", None, 600, 10**6) == 0.0
    assert await wait_for_call(limits.limiter, "d", None, 600, 60) == 6.0
    limits.sleep(6.0)
    assert await wait_for_call(limits.limiter, "d", None, 600, 60) == 0.0


@pytest.mark.parametrize(("used", "wait_s"), [(0, 0.0), (10, 1.0), (600, 60.0), (1_200, 120.0)])
async def test_claim_on_a_deployment_is_corrected_by_the_tokens_of_its_call(used: int, wait_s: float) -> None:
    limiter = Limits({"name": "a"}).limiter
    claimed = await limiter.admit_deployment("d", 60, 600, 100)
    assert isinstance(claimed, DeploymentClaim)
    limiter.end_call(claimed, used)

    assert await wait_for_call(limiter, "d", 60, 600, 600) == wait_s


async def test_refusal_of_a_deployment_is_remembered() -> None:
    limits = Limits({"name": "a"}, shared=True)
    assert limits.ledger is not None
    await limits.limiter.admit_deployment("d", 1, None, 0)
    for _ in range(20):
        assert await limits.limiter.admit_deployment("d", 1, None, 0) == 60.0

    assert len(limits.ledger.asked) == 2


async def test_standing_is_told_without_a_request() -> None:
    limits = Limits({"name": "a", "rpm_limit": 60, "max_parallel_requests": 1}, {"name": "b"})
    await limits.admit()

    assert await limits.limiter.standing_of("a") == Standing(60, 59, 1.0)
    assert await limits.limiter.standing_of("a") == Standing(60, 59, 1.0)
    assert await limits.limiter.standing_of("b") is None


async def test_used_share_of_a_budget_is_the_larger_of_key_and_team() -> None:
    limits = Limits(
        {"name": "a", "max_budget": 1, "team": "blue"},
        {"name": "b", "team": "blue"},
        {"name": "c"},
        teams=[{"name": "blue", "max_budget": 10}],
    )
    (await limits.admit("b", nano=DOLLAR)).settle(nano_usd=5 * DOLLAR, estimated_nano=0, tokens=1)
    await limits.admit("a", nano=DOLLAR // 10)

    assert limits.limiter.budgets_used() == {"a": 0.51, "b": 0.51}
    assert [limits.limiter.used_share(key) for key in ("a", "c", "gone")] == [0.51, None, None]


async def test_key_without_limits_is_admitted_and_counted() -> None:
    limits = Limits({"name": "a"})
    admission = await limits.admit(tokens=10**9, nano=10**12)
    admission.settle(nano_usd=5, estimated_nano=0, tokens=2)

    assert admission.standing == Standing()
    assert limits.limiter.own_totals("a").spent_nano == 5
