"""Tests of the cost of requests: what is subtracted first, and the most that a request may cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.prices.cost import bound_of, cost_of
from proxy.planning.prices.rates import Prices
from proxy.planning.prices.read_prices import read_prices

COUNTS = st.integers(0, 500_000)
PRICE_NAMES = (
    "cache_read_input_token_cost",
    "cache_creation_input_token_cost",
    "cache_creation_input_token_cost_above_1hr",
    "output_cost_per_reasoning_token",
    "input_cost_per_token_above_200k_tokens",
    "output_cost_per_token_above_200k_tokens",
    "input_cost_per_token_priority",
)


def prices_of(**dollars_for_a_million: str | float) -> Prices:
    """Return prices by the fields of the table, in dollars for a million tokens."""
    fields = {name: Decimal(str(value)) / 10**6 for name, value in dollars_for_a_million.items()}
    found = read_prices(fields)
    assert found is not None
    return found


def usage_of(prompt: int, answered: int, **details: int) -> dict[str, Any]:
    """Return a canonical usage. *details* of the answer begin with `out_`, and the others are of the prompt."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answered,
        "total_tokens": prompt + answered,
        "prompt_tokens_details": {
            f"{name}_tokens": count for name, count in details.items() if name[:4] != "out_"
        },
        "completion_tokens_details": {
            f"{name[4:]}_tokens": count for name, count in details.items() if name[:4] == "out_"
        },
    }


FLAT = prices_of(input_cost_per_token=2, output_cost_per_token=12, cache_read_input_token_cost=0.2)


def test_cached_tokens_are_not_charged_twice_by_gemini() -> None:
    """litellm#14849 reports $0.7642, and expects $0.1849 with the prices of its text."""
    prices = prices_of(input_cost_per_token=1.25, cache_read_input_token_cost=0.625, output_cost_per_token=10)

    assert cost_of(prices, usage_of(262_960, 1_744, cached=257_955)) == 184_918_125


def test_cached_tokens_are_not_charged_twice_by_google() -> None:
    """earendil-works/pi#2588 (of pi#2148) shows $0.162221: fresh $0.141676, cached $0.013981, and the answer.

    Only 933 tokens of the prompt were fresh, so the prompt costs $0.001866 and $0.013981.
    """
    assert cost_of(FLAT, usage_of(70_838, 547, cached=69_905)) == 1_866_000 + 13_981_000 + 6_564_000


def test_cached_tokens_count_for_the_threshold() -> None:
    """litellm#30207, with the figures of Helicone#5730: 250,000 tokens, of which 240,000 were cached, cost $0.144."""
    prices = prices_of(
        input_cost_per_token=3,
        input_cost_per_token_above_200k_tokens=6,
        cache_read_input_token_cost=0.3,
        cache_read_input_token_cost_above_200k_tokens=0.6,
        output_cost_per_token=15,
        output_cost_per_token_above_200k_tokens=22.5,
    )

    assert cost_of(prices, usage_of(250_000, 0, cached=240_000)) == 144_000_000 + 60_000_000
    assert cost_of(prices, usage_of(250_000, 1_000, cached=240_000)) == 204_000_000 + 22_500_000


def test_tokens_that_openai_writes_to_a_cache_have_their_price() -> None:
    """litellm#33772 (litellm#33071): all 3,541 tokens at the price of input cost $0.003571.

    3,538 of them were written at 1.25 times that price.
    """
    prices = prices_of(
        input_cost_per_token=1,
        cache_creation_input_token_cost=1.25,
        cache_read_input_token_cost=0.1,
        output_cost_per_token=6,
    )

    assert cost_of(prices, usage_of(3_541, 5)) == 3_571_000
    assert cost_of(prices, usage_of(3_541, 5, cache_write=3_538)) == 3_000 + 4_422_500 + 30_000


def test_read_and_written_tokens_are_parts_of_the_prompt() -> None:
    """OpenAI's guide to caching: of 2,600 tokens 2,000 were read, 400 written, and 200 neither."""
    prices = prices_of(
        input_cost_per_token=4,
        cache_creation_input_token_cost=5,
        cache_read_input_token_cost=0.4,
        output_cost_per_token=20,
    )

    assert cost_of(prices, usage_of(2_600, 0, cached=2_000, cache_write=400)) == 800_000 + 2_000_000 + 800_000


@pytest.mark.parametrize(
    ("details", "nano"),
    [
        ({}, 30_000),
        ({"cached": 4_000}, 3_000),  # more than the prompt
        ({"cached": 600, "cache_write": 600}, 22_500 + 400 * 3),
        ({"cache_write": 1_000, "cache_write_1h": 250}, 28_125 + 250 * 60),
        ({"cache_write": 100, "cache_write_1h": 250}, 900 * 30 + 100 * 60),
        ({"audio": 100}, 900 * 30 + 100 * 300),
        ({"audio": 900, "cached": 800}, 800 * 3 + 200 * 300),
    ],
)
def test_no_token_of_the_prompt_is_charged_twice(details: dict[str, int], nano: int) -> None:
    """Writes come first, then reads, then sounds. Together they are at most the prompt."""
    prices = prices_of(
        input_cost_per_token=0.03,
        cache_read_input_token_cost=0.003,
        cache_creation_input_token_cost=0.0375,
        cache_creation_input_token_cost_above_1hr=0.06,
        input_cost_per_audio_token=0.3,
        output_cost_per_token=1,
    )

    assert cost_of(prices, usage_of(1_000, 0, **details)) == nano


@pytest.mark.parametrize(
    ("details", "nano"),
    [
        ({}, 20_000),
        ({"out_reasoning": 400}, 600 * 20 + 400 * 50),
        ({"out_reasoning": 4_000}, 50_000),
        ({"out_audio": 10, "out_image": 20}, 970 * 20 + 10 * 80 + 20 * 300),
    ],
)
def test_tokens_of_the_answer_have_the_price_of_their_kind(details: dict[str, int], nano: int) -> None:
    prices = prices_of(
        input_cost_per_token=1,
        output_cost_per_token=0.02,
        output_cost_per_reasoning_token=0.05,
        output_cost_per_audio_token=0.08,
        output_cost_per_image_token=0.3,
    )

    assert cost_of(prices, usage_of(0, 1_000, **details)) == nano


@pytest.mark.parametrize(
    "usage",
    [
        {},
        {"prompt_tokens": None, "completion_tokens": "5"},
        {"prompt_tokens": -5, "completion_tokens": True},
        {"prompt_tokens": -5, "completion_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": -5},
        {"prompt_tokens": 0, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 9}},
    ],
)
def test_a_value_that_is_no_count_costs_nothing(usage: dict[str, Any]) -> None:
    """Providers send counts of any type. An explicit 0 is 0 (litellm#37992)."""
    assert cost_of(FLAT, usage) == 0


@pytest.mark.parametrize(
    "details", [None, [], "x", {"cached_tokens": None}, {"cached_tokens": -3}, {"cached_tokens": 1.5}]
)
def test_details_of_another_form_change_nothing(details: Any) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": details}

    assert cost_of(FLAT, usage) == 20_000


def test_a_cost_is_rounded_up_once() -> None:
    """Three parts of a third of 10⁻⁹ dollars are one, and a part more begins the next."""
    prices = prices_of(
        input_cost_per_token="0.0003", cache_read_input_token_cost="0.0001", output_cost_per_token="0.0006"
    )

    assert cost_of(prices, usage_of(1, 0)) == 1
    assert cost_of(prices, usage_of(2, 0, cached=1)) == 1
    assert cost_of(prices, usage_of(1, 1, cached=1)) == 1
    assert cost_of(prices, usage_of(2, 1, cached=1)) == 1
    assert cost_of(prices, usage_of(2, 2, cached=1)) == 2


def test_a_request_may_have_a_price_itself() -> None:
    prices = read_prices(
        {"input_cost_per_token": 0, "output_cost_per_token": 0, "input_cost_per_request": Decimal("0.005")}
    )

    assert prices is not None
    assert cost_of(prices, usage_of(5, 5)) == bound_of(prices, 5, 5) == 5_000_000


@pytest.mark.parametrize(
    ("tier", "nano"),
    [(None, 2_000), ("default", 2_000), ("Priority", 4_000), ("flex", 1_000), ("batch", 2_000), ("", 2_000)],
)
def test_the_tier_of_the_answer_decides(tier: str | None, nano: int) -> None:
    prices = prices_of(
        input_cost_per_token=2,
        output_cost_per_token=12,
        input_cost_per_token_priority=4,
        input_cost_per_token_flex=1,
    )

    assert cost_of(prices, usage_of(1, 0), tier) == nano


@given(
    st.fixed_dictionaries(
        {"input_cost_per_token": COUNTS, "output_cost_per_token": COUNTS},
        optional=dict.fromkeys(PRICE_NAMES, COUNTS),
    ),
    COUNTS,
    COUNTS,
    st.dictionaries(st.sampled_from(["cached", "cache_write", "cache_write_1h", "out_reasoning"]), COUNTS),
    st.sampled_from([None, "priority", "default"]),
)
def test_the_bound_holds_whatever_is_cached_or_reasoned(
    millionths: dict[str, int], prompt: int, answered: int, details: dict[str, int], tier: str | None
) -> None:
    """A request whose prompt was counted exactly, and whose answer keeps its limit, costs at most the bound."""
    prices = prices_of(**millionths)

    cost = cost_of(prices, usage_of(prompt, answered, **details), tier)

    assert 0 <= cost <= bound_of(prices, prompt, answered, tier)


def test_the_bound_is_reached_by_a_prompt_that_is_written_for_an_hour() -> None:
    prices = prices_of(
        input_cost_per_token=3,
        cache_creation_input_token_cost_above_1hr=6,
        output_cost_per_token=15,
        output_cost_per_reasoning_token=20,
    )
    usage = usage_of(1_000, 100, cache_write=1_000, cache_write_1h=1_000, out_reasoning=100)

    assert cost_of(prices, usage) == bound_of(prices, 1_000, 100) == 8_000_000
