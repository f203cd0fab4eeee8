"""Tests of prices in LiteLLM's spelling: thresholds and tiers in the names, ranges, and what is missing."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.planning.prices.rates import UNITS_IN_DOLLAR, Prices, Rates
from proxy.planning.prices.read_prices import has_price, merge_fields, read_prices

MILLION = 10**6
BOTH = {"input_cost_per_token": 1, "output_cost_per_token": 4}


def read(**dollars: Any) -> Prices:
    """Return the prices of fields, which must suffice."""
    found = read_prices(dollars)
    assert found is not None
    return found


def dollars(rates: Rates, *kinds: str) -> list[Decimal]:
    """Return the prices of *kinds* in dollars for one token."""
    return [Decimal(getattr(rates, kind)) / UNITS_IN_DOLLAR for kind in kinds]


@pytest.mark.parametrize("value", [1.25e-06, Decimal("0.00000125"), Decimal("1.25E-6")])
def test_a_float_is_the_decimal_that_was_written(value: object) -> None:
    """1.25e-06 is no number of a float's bits. Its shortest text is the price."""
    assert read(input_cost_per_token=value, output_cost_per_token=0).standard.base.uncached == 125 * 10**16


@pytest.mark.parametrize(
    ("name", "threshold"),
    [
        ("input_cost_per_token_above_1k_tokens", 1_000),
        ("input_cost_per_token_above_128k_tokens", 128_000),
        ("input_cost_per_token_above_512k_tokens", 512_000),
    ],
)
def test_the_threshold_is_taken_from_the_name(name: str, threshold: int) -> None:
    """Any number serves: MiniMax came with 512k (litellm#29663)."""
    [(found, rates)] = read(**BOTH, **{name: 2}).standard.steps

    assert found == threshold
    assert dollars(rates, "uncached", "output") == [2, 4]


@pytest.mark.parametrize(
    "name",
    [
        "input_cost_per_token_above_tokens",
        "input_cost_per_token_above_1234567k_tokens",
        "input_cost_per_token_above_200k_tokens_batches",
        "input_cost_per_token_batches",
        "input_cost_per_character",
        "xinput_cost_per_token_above_200k_tokens",
    ],
)
def test_other_names_are_no_prices(name: str) -> None:
    assert read(**BOTH, **{name: 9}) == read(**BOTH)
    assert not has_price({name: 9})


@pytest.mark.parametrize("missing", ["input_cost_per_token", "output_cost_per_token"])
@pytest.mark.parametrize("value", [None, "1", True, -1, float("nan"), float("inf"), Decimal("1e999999"), [1]])
def test_a_price_that_is_no_number_is_missing(missing: str, value: object) -> None:
    """Without a price of input or output the model has none. Nothing is guessed."""
    assert read_prices({**BOTH, missing: value}) is None


def test_only_embeddings_need_no_price_of_output() -> None:
    found = read_prices({"input_cost_per_token": 1}, embeds=True)

    assert found is not None
    assert dollars(found.standard.base, "uncached", "output") == [1, 0]
    assert read_prices({"output_cost_per_token": 1}, embeds=True) is None


def test_kinds_without_a_price_have_that_of_their_parent() -> None:
    plain = read(**BOTH).standard.base
    kinds = ("uncached", "cached", "written", "written_1h", "audio", "output", "reasoning", "audio_output")

    assert dollars(plain, *kinds) == [1, 1, 1, 1, 1, 4, 4, 4]
    assert dollars(read(**BOTH, cache_creation_input_token_cost=2).standard.base, "written_1h") == [2]


def test_a_price_of_0_for_writes_is_no_gift() -> None:
    """The table has 0 for OpenAI's models through Vercel. Their written tokens cost as much as others."""
    base = read(
        **BOTH, cache_creation_input_token_cost=0, cache_creation_input_token_cost_above_1hr=0
    ).standard.base

    assert dollars(base, "written", "written_1h") == [1, 1]


def test_cached_tokens_may_be_free() -> None:
    assert dollars(read(**BOTH, cache_read_input_token_cost=0).standard.base, "cached") == [0]


def test_deepseek_s_older_name_of_cached_tokens_is_read() -> None:
    assert dollars(read(**BOTH, input_cost_per_token_cache_hit=0.5).standard.base, "cached") == [
        Decimal("0.5")
    ]


def test_a_surcharge_is_at_least_the_new_price_of_its_parent() -> None:
    """A price of reasoning alone below the threshold must not make reasoning cheaper than the answer above it."""
    [(_, rates)] = read(
        **BOTH,
        output_cost_per_reasoning_token=5,
        cache_creation_input_token_cost=1.25,
        cache_creation_input_token_cost_above_1hr=2,
        output_cost_per_token_above_200k_tokens=6,
        input_cost_per_token_above_200k_tokens=3,
        cache_read_input_token_cost=0.1,
    ).standard.steps

    assert dollars(rates, "output", "reasoning", "written", "written_1h") == [6, 6, 3, 3]
    assert dollars(rates, "cached") == [Decimal("0.1")]


def test_an_own_price_above_the_threshold_holds() -> None:
    [(_, rates)] = read(
        **BOTH,
        cache_creation_input_token_cost_above_1hr=2,
        cache_creation_input_token_cost_above_1hr_above_200k_tokens=12,
        output_cost_per_reasoning_token=5,
        output_cost_per_token_above_200k_tokens=6,
        output_cost_per_reasoning_token_above_200k_tokens=1,
    ).standard.steps

    assert dollars(rates, "written_1h", "output", "reasoning") == [12, 6, 1]


def test_a_higher_threshold_keeps_what_a_lower_one_says() -> None:
    steps = read(
        **BOTH, input_cost_per_token_above_200k_tokens=3, output_cost_per_token_above_128k_tokens=5
    ).standard.steps

    assert [(threshold, *dollars(rates, "uncached", "output")) for threshold, rates in steps] == [
        (200_000, 3, 5),
        (128_000, 1, 5),
    ]


def test_a_tier_takes_what_it_lacks_from_the_standard_prices_by_its_factor() -> None:
    """Google's flex costs half of everything. The table has only its prices below the threshold."""
    prices = read(
        **BOTH,
        cache_read_input_token_cost=0.2,
        input_cost_per_token_above_200k_tokens=2,
        output_cost_per_token_above_200k_tokens=6,
        input_cost_per_token_flex=0.5,
        output_cost_per_token_flex=1,
    )
    flex = prices.tiers["flex"]
    [(_, above)] = flex.steps

    assert dollars(flex.base, "uncached", "output", "cached") == [Decimal("0.5"), 1, Decimal("0.1")]
    assert dollars(above, "uncached", "output") == [1, Decimal("1.5")]
    assert "priority" not in prices.tiers


def test_a_tier_s_own_prices_hold() -> None:
    prices = read(
        **BOTH,
        input_cost_per_token_above_272k_tokens=2,
        input_cost_per_token_priority=2,
        cache_read_input_token_cost_priority=0.4,
        input_cost_per_token_above_272k_tokens_priority=5,
    )
    priority = prices.tiers["priority"]

    assert dollars(priority.base, "uncached", "cached", "output") == [2, Decimal("0.4"), 4]
    assert dollars(priority.rates_of(272_001), "uncached", "output") == [5, 4]


def test_a_free_model_has_free_tiers() -> None:
    prices = read(input_cost_per_token=0, output_cost_per_token=0, input_cost_per_token_flex=0)

    assert dollars(prices.tiers["flex"].base, "uncached", "output") == [0, 0]


RANGES = (
    {"range": (0, 32_000), "input_cost_per_token": 1, "output_cost_per_token": 5},
    {"range": (32_000, 128_000), "input_cost_per_token": 2, "output_cost_per_token": 9},
    {"range": (128_000, None), "input_cost_per_token": 3, "cache_read_input_token_cost": 1},
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [(1, [1, 5]), (32_000, [1, 5]), (32_001, [2, 9]), (128_001, [3, 9]), (10**7, [3, 9])],
)
def test_one_range_holds_for_the_whole_request(prompt: int, expected: list[int]) -> None:
    """Alibaba chooses the unit price by all tokens of the prompt (litellm#34729). The last range has no end."""
    prices = read(tiered_pricing=RANGES)

    assert dollars(prices.standard.rates_of(prompt), "uncached", "output") == expected


def test_the_first_range_begins_at_the_first_token() -> None:
    prices = read(tiered_pricing=[{**RANGES[0], "range": [1, 32_000]}])

    assert dollars(prices.standard.base, "uncached") == [1]


@pytest.mark.parametrize(
    "tiered",
    [
        None,
        [],
        "x",
        5,
        [None],
        [{}],
        [{"range": []}],
        [{"range": "0-5", **BOTH}],
        [{"max_results_range": [0, 25]}],
    ],
)
def test_ranges_of_another_form_are_no_prices(tiered: object) -> None:
    """Some rows list ranges of search results."""
    assert read_prices({"tiered_pricing": tiered}) is None
    assert read(**BOTH, tiered_pricing=tiered) == read(**BOTH)


def test_the_operator_s_fields_win_and_the_row_fills_the_rest() -> None:
    row = {**BOTH, "cache_read_input_token_cost": 0.1, "input_cost_per_token_above_200k_tokens": 2}

    assert merge_fields({}, row) == row
    assert merge_fields({"input_cost_per_token": 7}, row) == {**row, "input_cost_per_token": 7}


def test_a_price_for_every_prompt_and_ranges_exclude_each_other() -> None:
    row = {"tiered_pricing": RANGES, "mode": "chat"}

    assert merge_fields({"input_cost_per_token": 7}, row) == {"input_cost_per_token": 7, "mode": "chat"}
    assert merge_fields({"cache_read_input_token_cost": 7}, row) == {**row, "cache_read_input_token_cost": 7}
    assert merge_fields({"tiered_pricing": RANGES}, {**BOTH, "mode": "chat"}) == row


VALUES = st.none() | st.booleans() | st.text(max_size=3) | st.integers() | st.floats() | st.decimals()


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *BOTH,
                "input_cost_per_token_flex",
                "input_cost_per_token_above_0k_tokens",
                "output_cost_per_token_above_200k_tokens_priority",
                "input_cost_per_request",
                "tiered_pricing",
            ]
        ),
        VALUES | st.lists(VALUES | st.fixed_dictionaries({"range": VALUES | st.lists(VALUES, max_size=2)})),
    )
)
def test_no_value_breaks_the_reading(fields: dict[str, Any]) -> None:
    """The table is a file of another project."""
    found = read_prices(fields)

    assert found is None or min(dollars(found.standard.base, "uncached", "cached", "output")) >= 0
