"""Tests of the prices of deployments: 50 rows of litellm's table by hand, and the operator's own prices."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from proxy.config.litellm_table import litellm_rows
from proxy.core.deployment import Deployment
from proxy.planning.prices import deployment_prices
from proxy.planning.prices.cost import cost_of
from proxy.planning.prices.deployment_prices import find_prices
from proxy.planning.prices.read_prices import read_prices
from tests.proxy.planning.budgets.shapes import deployment_of

Parts = tuple[tuple[int, str], ...]
"""Numbers of tokens, each with its price in dollars for a million."""

USAGE = {"prompt": 10_000, "answered": 1_000}

# Each row: a model, the prompt and the answer with their details, the service tier, and the parts by hand. The prices
# are those of litellm 1.105.3, compared with the providers' pages where those are known.
ROWS: tuple[tuple[str, dict[str, int], str | None, Parts], ...] = (
    # OpenAI: cached tokens, tiers, and GPT-5.5 and 5.6 above 272,000 tokens
    ("gpt-4o", {**USAGE, "cached": 4_000}, None, ((6_000, "2.5"), (4_000, "1.25"), (1_000, "10"))),
    ("gpt-4o", {**USAGE, "cached": 4_000}, "priority", ((6_000, "4.25"), (4_000, "2.125"), (1_000, "17"))),
    ("openai/gpt-4o-mini", USAGE, "default", ((10_000, "0.15"), (1_000, "0.6"))),
    ("openai/gpt-4.1", {**USAGE, "cached": 1}, None, ((9_999, "2"), (1, "0.5"), (1_000, "8"))),
    ("openai/gpt-4.1-nano", {**USAGE, "cached": 3}, None, ((9_997, "0.1"), (3, "0.025"), (1_000, "0.4"))),
    ("openai/o3", {**USAGE, "out_reasoning": 900}, "flex", ((10_000, "1"), (1_000, "4"))),
    ("openai/o4-mini", {**USAGE, "cached": 77}, "flex", ((9_923, "0.55"), (77, "0.138"), (1_000, "2.2"))),
    ("openai/gpt-5", {**USAGE, "cached": 9_000}, None, ((1_000, "1.25"), (9_000, "0.125"), (1_000, "10"))),
    ("openai/gpt-5", {**USAGE, "cached": 9_000}, "flex", ((1_000, "0.625"), (9_000, "0.0625"), (1_000, "5"))),
    ("openai/gpt-5-mini", USAGE, "priority", ((10_000, "0.45"), (1_000, "3.6"))),
    ("openai/gpt-5-nano", {**USAGE, "cached": 7}, None, ((9_993, "0.05"), (7, "0.005"), (1_000, "0.4"))),
    ("openai/gpt-5.1-codex", {**USAGE, "cached": 7}, None, ((9_993, "1.25"), (7, "0.125"), (1_000, "10"))),
    ("openai/gpt-5.2", USAGE, "priority", ((10_000, "3.5"), (1_000, "28"))),
    ("openai/gpt-5.5", {"prompt": 272_000, "answered": 10}, None, ((272_000, "5"), (10, "30"))),
    (
        "openai/gpt-5.5",
        {"prompt": 272_001, "answered": 10, "cached": 272_000},
        None,
        ((1, "10"), (272_000, "1"), (10, "45")),
    ),
    ("openai/gpt-5.5", {"prompt": 300_000, "answered": 10}, "flex", ((300_000, "5"), (10, "22.5"))),
    (
        "openai/gpt-5.6",
        {"prompt": 9_657, "answered": 78, "cache_write": 9_654},  # the usage in dotnet/extensions#7635
        None,
        ((3, "4"), (9_654, "5"), (78, "20")),
    ),
    (
        "openai/gpt-5.6",
        {"prompt": 300_000, "answered": 100, "cache_write": 100_000, "cached": 150_000},
        "priority",
        ((50_000, "16"), (100_000, "20"), (150_000, "1.6"), (100, "60")),
    ),
    ("openai/gpt-3.5-turbo", USAGE, None, ((10_000, "0.5"), (1_000, "1.5"))),
    (
        "openai/gpt-audio",
        {**USAGE, "audio": 2_000, "out_audio": 600},
        None,
        ((8_000, "2.5"), (2_000, "32"), (400, "10"), (600, "64")),
    ),
    ("azure/gpt-4o", {**USAGE, "cached": 4}, None, ((9_996, "2.5"), (4, "1.25"), (1_000, "10"))),
    ("azure/gpt-4.1-mini", USAGE, "priority", ((10_000, "0.7"), (1_000, "2.8"))),
    ("openai/ft:gpt-4o-mini-2024-07-18:acme::Ab1", USAGE, None, ((10_000, "0.3"), (1_000, "1.2"))),
    # Anthropic: writes for five minutes and for an hour, at three hosts
    (
        "anthropic/claude-sonnet-4-5",
        {**USAGE, "cached": 5_000, "cache_write": 4_000},
        None,
        ((1_000, "3"), (5_000, "0.3"), (4_000, "3.75"), (1_000, "15")),
    ),
    (
        "anthropic/claude-sonnet-4-5",
        {**USAGE, "cache_write": 4_000, "cache_write_1h": 1_500},
        None,
        ((6_000, "3"), (2_500, "3.75"), (1_500, "6"), (1_000, "15")),
    ),
    (
        "anthropic/claude-opus-4-5",
        {**USAGE, "cached": 9_999},
        None,
        ((1, "5"), (9_999, "0.5"), (1_000, "25")),
    ),
    ("anthropic/claude-haiku-4-5", {**USAGE, "cache_write": 10_000}, None, ((10_000, "1.25"), (1_000, "5"))),
    (
        "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        {"prompt": 250_000, "answered": 1_000, "cached": 200_000, "cache_write": 10_000},
        None,
        ((40_000, "6.6"), (200_000, "0.66"), (10_000, "8.25"), (1_000, "24.75")),
    ),
    (
        "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
        {"prompt": 200_000, "answered": 1_000, "cached": 200_000},
        None,
        ((200_000, "0.3"), (1_000, "15")),
    ),
    (
        "vertex_ai/claude-sonnet-4-5",
        {"prompt": 200_001, "answered": 0, "cache_write": 200_000, "cache_write_1h": 200_000},
        None,
        ((1, "6"), (200_000, "12")),
    ),
    # Gemini: the threshold of 200,000 tokens, thoughts, sounds and tiers
    (
        "gemini/gemini-2.5-pro",
        {"prompt": 262_960, "answered": 1_744, "cached": 257_955},
        None,
        ((5_005, "2.5"), (257_955, "0.25"), (1_744, "15")),
    ),
    (
        "gemini/gemini-2.5-pro",
        {"prompt": 200_000, "answered": 100, "out_reasoning": 60},
        None,
        ((200_000, "1.25"), (100, "10")),
    ),
    (
        "gemini/gemini-2.5-pro",
        {"prompt": 200_001, "answered": 100, "cached": 1},
        "priority",
        ((200_000, "4.5"), (1, "0.45"), (100, "27")),
    ),
    ("gemini/gemini-2.5-pro", {"prompt": 200_001, "answered": 2}, "flex", ((200_001, "1.25"), (2, "7.5"))),
    (
        "gemini/gemini-2.5-flash",
        {**USAGE, "audio": 300, "cached": 100, "out_reasoning": 800},
        None,
        ((9_600, "0.3"), (300, "1"), (100, "0.03"), (1_000, "2.5")),
    ),
    ("gemini/gemini-2.5-flash-lite", USAGE, "flex", ((10_000, "0.05"), (1_000, "0.2"))),
    (
        "gemini/gemini-3.6-flash",
        {**USAGE, "cached": 8_000},
        None,
        ((2_000, "0.75"), (8_000, "0.075"), (1_000, "3.75")),
    ),
    ("gemini/gemini-3.6-flash", USAGE, "priority", ((10_000, "1.35"), (1_000, "6.75"))),
    ("gemini/gemini-3.1-pro-preview", {"prompt": 200_001, "answered": 7}, None, ((200_001, "4"), (7, "18"))),
    (
        "gemini/gemini-2.5-flash-image",
        {"prompt": 100, "answered": 1_290, "out_image": 1_290},
        None,
        ((100, "0.3"), (1_290, "30")),
    ),
    ("vertex_ai/gemini-2.5-pro", USAGE, None, ((10_000, "1.25"), (1_000, "10"))),
    # Others: cached tokens under other names, ranges, a price of reasoning alone, and a price of a request
    (
        "deepseek/deepseek-chat",
        {**USAGE, "cached": 6_000},
        None,
        ((4_000, "0.28"), (6_000, "0.028"), (1_000, "0.42")),
    ),
    (
        "xai/grok-code-fast-1",
        {"prompt": 200_001, "answered": 9, "cached": 1},
        None,
        ((200_000, "2"), (1, "0.4"), (9, "4")),
    ),
    (
        "mistral/mistral-large-latest",
        {**USAGE, "cached": 1_000},
        None,
        ((9_000, "0.5"), (1_000, "0.05"), (1_000, "1.5")),
    ),
    (
        "groq/openai/gpt-oss-120b",
        {**USAGE, "cached": 1_000},
        None,
        ((9_000, "0.15"), (1_000, "0.075"), (1_000, "0.6")),
    ),
    (
        "dashscope/qwen3-coder-plus",
        {"prompt": 128_001, "answered": 50, "cached": 100_000},
        None,
        ((28_001, "3"), (100_000, "0.3"), (50, "15")),
    ),
    (
        "dashscope/qwen-plus-2025-07-28",
        {"prompt": 256_001, "answered": 50, "out_reasoning": 30},
        None,
        ((256_001, "1.2"), (30, "12"), (20, "3.6")),
    ),
    (
        "perplexity/sonar-deep-research",
        {**USAGE, "out_reasoning": 400},
        None,
        ((10_000, "2"), (400, "3"), (600, "8")),
    ),
    (
        "minimax/MiniMax-M3",
        {"prompt": 512_001, "answered": 3, "cached": 512_000},
        None,
        ((1, "0.6"), (512_000, "0.12"), (3, "2.4")),
    ),
    (
        "zai/glm-4.6",
        {**USAGE, "cache_write": 5_000, "cached": 100},
        None,
        ((9_900, "0.6"), (100, "0.11"), (1_000, "2.2")),
    ),
    (
        "bedrock/amazon.nova-pro-v1:0",
        {**USAGE, "cached": 100},
        "flex",
        ((9_900, "0.4"), (100, "0.1"), (1_000, "1.6")),
    ),
    ("perplexity/pplx-70b-online", USAGE, None, ((1, "5000"), (1_000, "2.8"))),
    # Embeddings and text completions
    ("openai/text-embedding-3-small", {"prompt": 12_345, "answered": 0}, None, ((12_345, "0.02"),)),
    ("openai/text-embedding-3-large", {"prompt": 7, "answered": 0}, None, ((7, "0.13"),)),
    ("gemini/gemini-embedding-001", {"prompt": 1, "answered": 0}, None, ((1, "0.15"),)),
    ("openai/gpt-3.5-turbo-instruct", USAGE, None, ((10_000, "1.5"), (1_000, "2"))),
)


def usage_of(prompt: int, answered: int, **details: int) -> dict[str, Any]:
    """Return a canonical usage. *details* of the answer begin with `out_`, and the others are of the prompt."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answered,
        "prompt_tokens_details": {f"{name}_tokens": n for name, n in details.items() if name[:4] != "out_"},
        "completion_tokens_details": {
            f"{name[4:]}_tokens": n for name, n in details.items() if name[:4] == "out_"
        },
    }


def by_hand(parts: Parts) -> int:
    """Return the sum of *parts* in 10⁻⁹ dollars, rounded up."""
    nano = sum(tokens * Decimal(price) * 1_000 for tokens, price in parts)
    return int(nano.to_integral_value("ROUND_CEILING")) if isinstance(nano, Decimal) else 0


def priced(model: str, **price_info: Any) -> Deployment:
    """Return a deployment whose operator names *price_info*, in dollars for one token."""
    return replace(deployment_of(model), price_info=MappingProxyType(price_info))


@pytest.mark.parametrize(
    ("model", "usage", "tier", "parts"), ROWS, ids=[f"{row[0]}-{row[2]}-{at}" for at, row in enumerate(ROWS)]
)
def test_a_row_of_the_table_costs_what_it_costs_by_hand(
    model: str, usage: dict[str, int], tier: str | None, parts: Parts
) -> None:
    prices = find_prices(deployment_of(model))

    assert prices is not None
    assert prices.source == "catalogue"
    assert cost_of(prices, usage_of(**usage), tier) == by_hand(parts)


def test_at_least_fifty_rows_are_compared() -> None:
    assert len(ROWS) >= 50


@pytest.mark.parametrize(
    "model",
    [
        "openai/nobody-knows-it",
        "hosted_vllm/gpt-4o",  # any weights may have this name
        "openai/dall-e-3",  # no price for tokens
        "openai/sample_spec_of_nobody",
    ],
)
def test_an_unknown_model_has_no_prices(model: str) -> None:
    assert find_prices(deployment_of(model)) is None


def test_the_operator_s_prices_suffice() -> None:
    prices = find_prices(
        priced(
            "openai/nobody-knows-it",
            input_cost_per_token=Decimal("2E-6"),
            output_cost_per_token=Decimal("8E-6"),
        )
    )

    assert prices is not None
    assert prices.source == "configured"
    assert cost_of(prices, usage_of(1_000, 100, cached=500)) == 2_000_000 + 800_000


def test_the_row_fills_what_the_operator_does_not_name() -> None:
    """The operator has a better price of input. The price of cached tokens and of the answer is the table's."""
    prices = find_prices(priced("openai/gpt-4o", input_cost_per_token=Decimal("1E-6")))

    assert prices is not None
    assert prices.source == "configured"
    assert cost_of(prices, usage_of(1_000, 100, cached=400)) == 600_000 + 500_000 + 1_000_000


def test_an_operator_s_price_of_0_is_a_price() -> None:
    free = find_prices(
        priced(
            "openai/gpt-4o",
            input_cost_per_token=Decimal(0),
            output_cost_per_token=Decimal(0),
            cache_read_input_token_cost=Decimal(0),
        )
    )

    assert free is not None
    assert cost_of(free, usage_of(1_000, 100, cached=400)) == 0


def test_half_a_price_is_none() -> None:
    """A price of input alone would call every answer free."""
    assert find_prices(priced("openai/nobody-knows-it", input_cost_per_token=Decimal("2E-6"))) is None


def test_an_embedding_model_of_the_operator_needs_one_price() -> None:
    own = replace(priced("openai/mine", input_cost_per_token=Decimal("2E-8")), embeds=True)
    prices = find_prices(own)

    assert prices is not None
    assert cost_of(prices, usage_of(1_000, 0)) == 20_000


def test_other_facts_of_a_model_are_no_prices() -> None:
    prices = find_prices(priced("openai/gpt-4o", base_model="x"))

    assert prices is not None
    assert prices.source == "catalogue"


@pytest.mark.parametrize("row", [b"[]", b"5", b'{"input_cost_per_token":1e99999999999999999999,', b'"x"'])
def test_a_broken_row_has_no_prices(monkeypatch: pytest.MonkeyPatch, row: bytes) -> None:
    """The table is a file of another project."""
    monkeypatch.setattr(deployment_prices, "litellm_rows", lambda: {"openai/broken": row})

    assert find_prices.__wrapped__(deployment_of("openai/broken")) is None


def test_a_price_is_the_decimal_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A float holds 17 digits at most."""
    row = b'{"input_cost_per_token":1.000000000000000001e-06,"output_cost_per_token":0}'
    monkeypatch.setattr(deployment_prices, "litellm_rows", lambda: {"openai/precise": row})
    prices = find_prices.__wrapped__(deployment_of("openai/precise"))

    assert prices is not None
    assert prices.standard.base.uncached == 1_000_000_000_000_000_001


def test_a_row_of_embeddings_needs_one_price(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        f"openai/{mode}": b'{"mode":"%s","input_cost_per_token":2e-08}' % mode.encode()
        for mode in ("embedding", "chat")
    }
    monkeypatch.setattr(deployment_prices, "litellm_rows", lambda: rows)
    found = [find_prices.__wrapped__(deployment_of(name)) for name in rows]

    assert [prices is not None for prices in found] == [True, False]


def test_every_row_can_be_read() -> None:
    """Each row with both prices has prices, and no row breaks the reading."""
    names = [name for name in litellm_rows() if "*" not in name]
    rows = {name: deployment_prices._row(name) for name in names}
    both = [
        name
        for name, row in rows.items()
        if row.get("input_cost_per_token") is not None and row.get("output_cost_per_token") is not None
    ]

    assert len(both) > 3_000
    assert all(read_prices(rows[name]) is not None for name in both)
