"""Tests of the choice of rates by the size of a prompt and by the service tier."""

from __future__ import annotations

from dataclasses import fields

import pytest

from proxy.planning.prices.rates import Ladder, Prices, Rates


def rates_at(price: int) -> Rates:
    """Return rates with *price* for every kind of tokens."""
    return Rates(*[price] * sum(field.init for field in fields(Rates)))


@pytest.mark.parametrize(
    ("prompt", "price"), [(0, 1), (128_000, 1), (128_001, 2), (200_000, 2), (200_001, 3), (10**9, 3)]
)
def test_a_threshold_must_be_passed(prompt: int, price: int) -> None:
    """A prompt of exactly the threshold has the lower price, as "above" says."""
    ladder = Ladder(rates_at(1), ((200_000, rates_at(3)), (128_000, rates_at(2))))

    assert ladder.rates_of(prompt) == rates_at(price)


@pytest.mark.parametrize(
    ("tier", "price"), [("flex", 2), ("FLEX", 2), ("priority", 1), ("default", 1), (None, 1), ("", 1)]
)
def test_a_tier_without_prices_has_the_standard_ones(tier: str | None, price: int) -> None:
    prices = Prices(Ladder(rates_at(1)), {"flex": Ladder(rates_at(2))})

    assert prices.ladder_of(tier).base == rates_at(price)


def test_the_dearest_kinds_of_text() -> None:
    """Sounds and images are not text."""
    rates = Rates(
        uncached=3,
        cached=1,
        written=4,
        written_1h=6,
        audio=99,
        output=15,
        reasoning=20,
        audio_output=99,
        image_output=99,
    )

    assert (rates.dearest_input, rates.dearest_output) == (6, 20)
