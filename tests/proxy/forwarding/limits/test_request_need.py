"""Tests of the tokens and the money that one request may use."""

from __future__ import annotations

import pytest

from proxy.core.key_errors import RequestNeverFits
from proxy.forwarding.limits.plan_size import PlanSize
from proxy.forwarding.limits.request_need import most_cost, tokens_to_claim
from proxy.planning.prices import Prices, find_prices
from tests.support.proxied import settings_of

USUAL = 100

CLAIMS: dict[str, tuple[int, int | None, int | None, int]] = {
    "usual answer without a limit": (50, None, None, 150),
    "client's limit below the usual answer": (50, 30, None, 80),
    "client's limit above the usual answer": (50, 9_000, None, 150),
    "embeddings": (50, 0, None, 50),
    "room in the bucket": (50, None, 1_000, 150),
    "no more than the bucket holds": (50, None, 120, 120),
    "one token of room": (50, None, 51, 51),
    "embeddings that fill the bucket": (50, 0, 50, 50),
}


@pytest.mark.parametrize(("prompt", "longest", "largest", "claimed"), CLAIMS.values(), ids=CLAIMS)
def test_claimed_tokens(prompt: int, longest: int | None, largest: int | None, claimed: int) -> None:
    """A small bucket serves a request whose usual answer it could not hold (litellm#29193)."""
    assert tokens_to_claim(prompt, longest, USUAL, largest) == claimed


NEVER: dict[str, tuple[int, int | None, int]] = {
    "no room for an answer": (50, None, 50),
    "no room for a short answer": (50, 1, 50),
    "prompt over the bucket": (51, 0, 50),
}


@pytest.mark.parametrize(("prompt", "longest", "largest"), NEVER.values(), ids=NEVER)
def test_prompt_that_never_fits_is_refused(prompt: int, longest: int | None, largest: int) -> None:
    with pytest.raises(RequestNeverFits, match=f"may use {largest} at once"):
        tokens_to_claim(prompt, longest, USUAL, largest)


def _prices(entry: str = "openai/gpt-4.1") -> Prices:
    prices = find_prices(settings_of({"m": entry}).routes.exact["m"][0])
    assert prices is not None
    return prices


def _size(longest: int | None, service_tier: str | None = None) -> PlanSize:
    return PlanSize(0, lambda _: 10, longest, service_tier)


COSTS: dict[str, tuple[int | None, int]] = {
    "client's limit": (1_000, 10 * 2_000 + 1_000 * 8_000),
    "usual answer": (None, 10 * 2_000 + USUAL * 8_000),
    "no answer": (0, 10 * 2_000),
}


@pytest.mark.parametrize(("longest", "nano"), COSTS.values(), ids=COSTS)
def test_most_cost_is_the_price_of_the_prompt_and_of_the_longest_answer(
    longest: int | None, nano: int
) -> None:
    """The model costs 2 dollars and 8 dollars a million tokens. The client's limit counts in full here."""
    assert most_cost(_prices(), _size(longest), 10, USUAL) == nano


SMALL: dict[str, tuple[int | None, int, int]] = {
    "no more than the whole spend limit": (None, 30_000, 30_000),
    "room for the usual answer": (None, 10**9, 10 * 2_000 + USUAL * 8_000),
    "no room for the first token": (None, 27_999, 10 * 2_000 + USUAL * 8_000),
    "client's limit": (50, 30_000, 10 * 2_000 + 50 * 8_000),
}


@pytest.mark.parametrize(("longest", "largest", "nano"), SMALL.values(), ids=SMALL)
def test_small_spend_limit_serves_a_request_without_a_limit_of_its_answer(
    longest: int | None, largest: int, nano: int
) -> None:
    """A usual answer that exceeds the whole spend limit would otherwise refuse every such request."""
    assert most_cost(_prices(), _size(longest), 10, USUAL, largest) == nano


def test_error_names_the_owner_of_the_bucket() -> None:
    with pytest.raises(RequestNeverFits, match="the team of this key may use 10 at once"):
        tokens_to_claim(50, None, USUAL, 10, "team")


@pytest.mark.parametrize(
    ("tier", "nano"), [("priority", 1_000 * 14_000), ("Flex", 1_000 * 8_000), (None, 1_000 * 8_000)]
)
def test_dearer_service_tier_is_reserved(tier: str | None, nano: int) -> None:
    """A client that asks for OpenAI's priority tier pays 14 dollars a million tokens of this model's answer."""
    assert most_cost(_prices(), _size(1_000, tier), 0, USUAL) == nano


def test_model_without_prices_costs_nothing() -> None:
    assert most_cost(None, _size(1_000), 10, USUAL) == 0


def test_cost_stays_a_number_that_a_store_adds_exactly() -> None:
    assert most_cost(_prices(), _size(2**53), 10, USUAL) == 2**53 - 1
