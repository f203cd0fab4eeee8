"""Tests of the correction of a claim by what was used."""

from __future__ import annotations

import pytest

from proxy.state.limits.claims import Bucket, Change, RateClaim, correct

BUCKET = Bucket("key:a:tokens", 600, 600)
DAY = 24 * 60 * BUCKET.per_minute


@pytest.mark.parametrize(
    ("used", "counted"), [(0, 0), (70, 70), (101, 101), (100 + DAY, 100 + DAY), (2**53, 100 + DAY)]
)
def test_claim_is_corrected_by_what_was_used_and_by_a_day_at_most(used: int, counted: int) -> None:
    assert correct(RateClaim(BUCKET, 100), used) == Change(BUCKET, 100, counted)


def test_claim_that_was_right_is_not_corrected() -> None:
    assert correct(RateClaim(BUCKET, 100), 100) is None
