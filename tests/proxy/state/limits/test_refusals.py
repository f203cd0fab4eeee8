"""Tests of refusals: which one is told, and which ones are remembered."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from proxy.state.limits.claims import Claims, Need, RateClaim, Refusal, SpendClaim, Verdict
from proxy.state.limits.key_accounts import KeyAccounts
from proxy.state.limits.limit_table import KeyLimits
from proxy.state.limits.memory_ledger import MemoryLedger
from proxy.state.limits.refusals import Refusals, find_misfit
from proxy.state.limits.spend_book import SpendBook
from proxy.state.limits.standings import Standings
from tests.support.limited_keys import Clock, limited

NOW = 50.0
HOUR = {"max_budget": 1, "budget_duration": "1h"}
NEED = Need(10, 10, 1.0)


class Made:
    """The refusals of a key named "a"."""

    def __init__(self, **limits: Any) -> None:
        book = SpendBook()
        self.accounts = KeyAccounts(
            limited({"name": "a", **limits}), MemoryLedger(book), book, Clock(7_200.0 + 600.0)
        )
        self.refusals = Refusals(self.accounts, Standings())
        found = self.accounts.limits_of("a")
        assert found is not None
        self.limits: KeyLimits = found

    def make(self, *waits_s: float, spent: int = 0) -> Refusal:
        """Return the refusal for a verdict with these waits."""
        [holder] = self.limits.holders
        asked = ((holder.requests, 1), (holder.tokens, 10))
        rates = tuple(RateClaim(bucket, amount) for bucket, amount in asked if bucket is not None)
        period = self.accounts.period_of(holder)
        spends = tuple(
            SpendClaim(holder.account, period, limit, 10, 1.0) for limit in [holder.budget_nano] if limit
        )
        verdict = Verdict(False, waits_s, (0,) * len(rates), (spent,) * len(spends))
        return self.refusals.make(self.limits, Claims("", rates, (), spends), verdict, NOW)

    def find(self, need: Need | None = NEED, after_s: float = 0.0) -> str | None:
        """Return the kind of the refusal that is remembered."""
        found = self.refusals.find(self.limits, need, NOW + after_s)
        return None if found is None else found.kind


@pytest.mark.parametrize(
    ("waits_s", "kind", "wait_s"),
    [
        ((3.0, 2.0, 0.0), "requests", 3.0),
        ((3.0, 4.0, 0.0), "tokens", 4.0),
        ((3.0, 4.0, inf), "budget", 3_000.0),
    ],
)
def test_longest_wait_is_told(waits_s: tuple[float, ...], kind: str, wait_s: float) -> None:
    refusal = Made(rpm_limit=60, tpm_limit=60, **HOUR).make(*waits_s)

    assert (refusal.kind, refusal.holder, refusal.wait_s, refusal.most) == (kind, "key", wait_s, None)


def test_all_refusals_of_a_request_are_remembered() -> None:
    made = Made(rpm_limit=60, tpm_limit=60)
    made.make(3.0, 2.0)

    assert [made.find(after_s=seconds) for seconds in (0.0, 2.5, 3.0)] == ["requests", "requests", None]


def test_tokens_are_refused_for_as_many_and_more() -> None:
    made = Made(tpm_limit=60)
    made.make(3.0)
    kinds = [made.find(Need(tokens, 0, 1.0)) for tokens in (9, 10, 11)]

    assert kinds == [None, "tokens", "tokens"]
    assert made.find(None) is None


def test_requests_are_refused_before_the_need_is_known() -> None:
    made = Made(rpm_limit=60)
    made.make(3.0)

    assert made.find(None) == "requests"


def test_used_up_budget_is_remembered_for_every_request_until_its_period_ends() -> None:
    made = Made(**HOUR)
    made.make(inf, spent=10**9)

    assert made.find(None) == made.find(Need(0, 0, 1.0), 2_999.0) == "budget"
    assert made.find(after_s=3_000.0) is None


def test_reserved_budget_is_remembered_for_a_second_and_for_as_much() -> None:
    made = Made(**HOUR)
    made.make(inf, spent=10**9 - 1)

    assert made.find() == "budget"
    assert made.find(None) is made.find(Need(10, 9, 1.0)) is made.find(after_s=1.0) is None


@pytest.mark.parametrize(
    ("need", "kind"),
    [(Need(61, 0, 1.0), "tokens"), (Need(60, 10**9, 1.0), None), (Need(0, 10**9 + 1, 1.0), "budget")],
    ids=["tokens", "fits", "money"],
)
def test_request_above_a_whole_limit_never_fits(need: Need, kind: str | None) -> None:
    refusal = find_misfit(Made(tpm_limit=60, **HOUR).limits, need)

    assert (None if refusal is None else refusal.kind) == kind
    assert refusal is None or (refusal.wait_s == inf and refusal.most is not None)
