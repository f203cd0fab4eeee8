"""Tests of limits and spend with three replicas and one Valkey server: small runs of ``make soak-limits``.

Lower bounds are loose here, since the tests share few processors. Nothing may ever pass an upper bound.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.limits import budgets, rates, spend, store_down, waiting
from benchmarks.limits.goals import missed


async def test_load_above_the_limits_is_let_in_as_one_bucket_would(tmp_path: Path) -> None:
    load = rates.Load(seconds=3.0, per_minute=180, burst="0.03", under=0.5, over=0.25)

    assert missed(await rates.run(tmp_path, load)) == []


async def test_requests_at_once_never_spend_more_than_the_budget(tmp_path: Path) -> None:
    assert missed(await budgets.run(tmp_path, at_once=24, paid=6)) == []


async def test_account_is_the_providers_bill_while_the_store_is_emptied_twice(tmp_path: Path) -> None:
    load = spend.Load(requests=80, rate=30.0, seed=4, kills=False)

    assert missed(await spend.run(tmp_path, load)) == []


async def test_replicas_let_in_their_shares_while_the_store_is_down(tmp_path: Path) -> None:
    load = store_down.Load(seconds=3.0, burst="0.05", found=0.4, known_s=2.5)

    assert missed(await store_down.run(tmp_path, load)) == []


async def test_client_that_waits_as_told_is_served(tmp_path: Path) -> None:
    assert missed(await waiting.run(tmp_path, rounds=2)) == []
