"""The delay before a retry: jitter, and the provider's own delay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.resilience.back_off import back_off


@given(tries=st.integers(1, 2_000), random=st.floats(0, 1, exclude_max=True))
def test_jitter_is_full(tries: int, random: float) -> None:
    """The delay is between zero and a bound, which doubles up to eight seconds."""
    bound = min(8.0, 0.5 * 2 ** min(tries - 1, 10))
    assert back_off(tries, None, random) == pytest.approx(bound * random)


@given(asked=st.floats(0, 1_000), random=st.floats(0, 1, exclude_max=True))
def test_the_provider_s_delay_is_the_shortest(asked: float, random: float) -> None:
    """Jitter spreads the retries behind it."""
    assert asked <= back_off(3, asked, random) <= asked * 1.2 + 1e-9
