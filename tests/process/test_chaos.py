"""Tests with a few requests of ``make chaos``: providers fail at random, and each client gets an answer or error."""

from __future__ import annotations

import pytest

from benchmarks.chaos.asking import ANSWERED
from benchmarks.chaos.run import run

REQUESTS = 120
SHARE = 0.2


async def test_no_answer_is_lost_or_doubled_while_providers_fail(transport: str) -> None:
    """Each request gets exactly one outcome, and more than 90 % of the requests are answered, thanks to retries."""
    report = await run(requests=REQUESTS, concurrency=16, share=SHARE, transport=transport, seed=20_261)

    assert report.violations == []
    assert len(report.outcomes) == REQUESTS
    answered = [outcome.verdict for outcome in report.outcomes].count(ANSWERED)
    assert answered > REQUESTS * (1 - SHARE / 2)
    assert report.retries
    assert report.attempts > REQUESTS


async def test_every_answer_comes_at_the_first_try_without_faults() -> None:
    """Without faults, each request is answered at the first try.

    So failures in the other test are due to its faults.
    """
    report = await run(requests=40, concurrency=8, share=0.0, transport="direct", seed=1)

    assert report.violations == []
    assert [outcome.verdict for outcome in report.outcomes] == [ANSWERED] * 40
    assert not report.retries


@pytest.mark.parametrize("provider", ["azure", "groq, gpt-oss", "databricks, claude"])
async def test_no_answer_is_lost_at_a_provider_with_an_odd_wire(provider: str) -> None:
    """Azure's filters, Groq's usage and Databricks' lists of parts break no answer while providers fail."""
    report = await run(
        requests=60, concurrency=16, share=SHARE, transport="direct", seed=20_261, provider=provider
    )

    assert report.violations == []
    assert len(report.outcomes) == 60
    answered = [outcome.verdict for outcome in report.outcomes].count(ANSWERED)
    assert answered > 60 * (1 - SHARE / 2)
    assert report.retries
