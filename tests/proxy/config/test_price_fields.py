"""Tests of the operator's prices."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from proxy.config import Settings, resolve
from proxy.config.price_fields import is_price
from tests.proxy.config.samples import entry, faults_in, faults_of, load, settings_of, text_of


def _prices_of(settings: Settings) -> dict[str, Any]:
    return dict(resolve(settings, "gemini")[0].price_info)


def _priced(**facts: Any) -> dict[str, Any]:
    return {**entry(), "model_info": facts}


@pytest.mark.parametrize(
    "name",
    [
        "input_cost_per_token",
        "output_cost_per_token_above_200k_tokens",
        "cache_read_input_token_cost_above_200k_tokens_priority",
        "cache_creation_input_token_cost_above_1hr",
        "cache_creation_input_token_cost_above_1hr_above_200k_tokens",
        "output_cost_per_reasoning_token_flex",
        "input_cost_per_request",
    ],
)
def test_a_price_is_the_decimal_that_was_written(name: str) -> None:
    """A price reaches the deployment as the decimal of the file, by number and by text."""
    for written in (2.5e-06, "2.5e-6", "0.0000025"):
        assert _prices_of(settings_of(_priced(**{name: written}))) == {name: Decimal("0.0000025")}


@pytest.mark.parametrize(
    "name",
    [
        "input_cost_per_second",
        "input_cost_per_token_batches",
        "input_cost_per_token_above_0k_tokens",
        "price",
        "supports_x",
    ],
)
def test_other_facts_are_no_prices(name: str) -> None:
    """Facts that are no prices of tokens stay free."""
    assert not is_price(name)
    assert _prices_of(settings_of(_priced(**{name: "x"}))) == {}


def test_tiers_are_ranges_with_prices() -> None:
    """``tiered_pricing`` becomes ranges of whole tokens with decimal prices."""
    tiers = [
        {"range": [0, 32e3], "input_cost_per_token": 4e-7, "output_cost_per_token": 1.6e-6},
        {"range": [32000, None], "input_cost_per_token": 8e-7, "output_cost_per_token": 3.2e-6},
    ]
    found = _prices_of(settings_of(_priced(tiered_pricing=tiers)))["tiered_pricing"]

    assert [dict(tier) for tier in found] == [
        {
            "range": (0, 32000),
            "input_cost_per_token": Decimal("4e-7"),
            "output_cost_per_token": Decimal("1.6e-6"),
        },
        {
            "range": (32000, None),
            "input_cost_per_token": Decimal("8e-7"),
            "output_cost_per_token": Decimal("3.2e-6"),
        },
    ]


@pytest.mark.parametrize(
    ("facts", "paths"),
    [
        ({"input_cost_per_token": -1e-6}, ["input_cost_per_token"]),
        ({"input_cost_per_token": 1000.5}, ["input_cost_per_token"]),
        ({"input_cost_per_token": True}, ["input_cost_per_token"]),
        ({"input_cost_per_token": "free"}, ["input_cost_per_token"]),
        ({"input_cost_per_token": [1]}, ["input_cost_per_token"]),
        ({"input_cost_per_token": "1e-999999999", "output_cost_per_token": "NaN"}, ["output_cost_per_token"]),
        ({"input_cost_per_tokens": 1e-6}, ["input_cost_per_tokens"]),
        ({"input_cost_per_request": 1001}, ["input_cost_per_request"]),
        ({"tiered_pricing": []}, ["tiered_pricing"]),
        ({"tiered_pricing": 5}, ["tiered_pricing"]),
        ({"tiered_pricing": [5]}, ["tiered_pricing[0]"]),
        ({"tiered_pricing": [{"input_cost_per_token": 1e-6}]}, ["tiered_pricing[0].range"]),
        ({"tiered_pricing": [{"range": [5, 10]}]}, ["tiered_pricing[0].range"]),
        ({"tiered_pricing": [{"range": [0, 0]}]}, ["tiered_pricing[0].range"]),
        ({"tiered_pricing": [{"range": [0, 10]}, {"range": [11, 20]}]}, ["tiered_pricing[1].range"]),
        (
            {
                "tiered_pricing": [{"range": [0], "input_cost_per_token": 1001, "cost": 1}],
                "output_cost_per_token": 1001,
            },
            ["tiered_pricing[0].input_cost_per_token", "tiered_pricing[0].cost", "output_cost_per_token"],
        ),
    ],
)
def test_what_is_no_price_is_a_fault_each(facts: dict[str, Any], paths: list[str]) -> None:
    """All faults of prices are reported together, each with its path and without the value."""
    faults = faults_of(_priced(**facts))

    assert sorted(path for path, _ in faults) == sorted(f"model_list[0].model_info.{path}" for path in paths)


def test_a_number_of_thousands_of_digits_is_a_fault() -> None:
    """Python refuses to write such a number, which YAML reads in hexadecimal digits."""
    text = text_of(_priced(input_cost_per_token=1)).replace(b"token: 1", b"token: 0x" + b"f" * 9_000)

    assert faults_in(text) == [
        ("model_list[0].model_info.input_cost_per_token", "must be a number of dollars")
    ]


def test_prices_in_litellm_params_are_read_where_model_info_has_none() -> None:
    """LiteLLM takes prices in both places. ``model_info`` wins, with a warning where the two differ."""
    both = {
        **entry(input_cost_per_token=1e-6, output_cost_per_token="2e-6", cache_read_input_token_cost=1e-7),
        "model_info": {"input_cost_per_token": 3e-6, "cache_read_input_token_cost": 1e-7},
    }
    loaded = load(both)

    assert _prices_of(loaded.settings) == {
        "input_cost_per_token": Decimal("3e-6"),
        "output_cost_per_token": Decimal("2e-6"),
        "cache_read_input_token_cost": Decimal("1e-7"),
    }
    price = "input_cost_per_token"
    assert loaded.warnings == (
        f"model_list[0].litellm_params.{price}: overridden by model_list[0].model_info.{price}",
    )
    assert _prices_of(settings_of(entry(input_cost_per_token=1e-6))) == {
        "input_cost_per_token": Decimal("1e-6")
    }


def test_a_fault_of_a_price_names_the_place_in_the_file() -> None:
    """The fault of a price in ``litellm_params`` has the path and the line of ``litellm_params``."""
    assert faults_of(entry("a"), entry("b", output_cost_per_token=1001)) == [
        ("model_list[1].litellm_params.output_cost_per_token", "must be at most 1000 dollars for one token")
    ]


def test_the_price_of_a_million_tokens_is_a_warning() -> None:
    """Files of LiteLLM have such prices, so they are taken. The warning names the place in the file."""
    loaded = load(entry(input_cost_per_token=300))

    assert _prices_of(loaded.settings) == {"input_cost_per_token": Decimal(300)}
    assert loaded.warnings == (
        "model_list[0].litellm_params.input_cost_per_token: is 300 dollars for one token; divide the price of a "
        "million by 1000000",
    )


def test_a_file_is_priced_without_being_changed() -> None:
    """A file with odd entries loses nothing, and gets the faults that it had."""
    assert b"model_info" not in text_of(entry(input_cost_per_token=1e-6))
    assert [path for path, _ in faults_of({**entry(input_cost_per_token=1e-6), "model_info": 5})] == [
        "model_list[0].model_info"
    ]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ({}, None),
        ({"litellm_params": 5}, 5),
        ({"entry": 6}, 6),
        ({"model_info": 7}, 7),
        ({"litellm_params": 7, "entry": 6, "model_info": 5}, 5),
    ],
)
@pytest.mark.parametrize("limit", ["rpm", "tpm"])
def test_the_lowest_limit_of_a_deployment_counts(
    limit: str, places: dict[str, int], expected: int | None
) -> None:
    """LiteLLM's files have a deployment's limits in three places. The lowest of them counts."""
    given = entry()
    given["litellm_params"] |= {limit: places["litellm_params"]} if "litellm_params" in places else {}
    given |= {limit: places["entry"]} if "entry" in places else {}
    given |= {"model_info": {limit: places["model_info"]}} if "model_info" in places else {}
    [deployment] = resolve(settings_of(given), "gemini")

    assert getattr(deployment, limit) == expected
