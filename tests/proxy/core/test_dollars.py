"""Tests of amounts of money as text."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.dollars import write_dollars


@pytest.mark.parametrize(
    ("nano", "text"),
    [
        (0, "0.0"),
        (1, "0.000000001"),
        (4_213_000, "0.004213"),
        (10**9, "1.0"),
        (25_500_000_000, "25.5"),
        (2**53, "9007199.254740992"),
        (-1, "-0.000000001"),
    ],
)
def test_amount_is_written_without_an_exponent(nano: int, text: str) -> None:
    assert write_dollars(nano) == text


@given(st.integers(min_value=-(2**70), max_value=2**70))
def test_text_is_exact(nano: int) -> None:
    """The text, read as a decimal, is the amount."""
    assert Decimal(write_dollars(nano)) * 10**9 == nano
