"""Two hundred requests at once against a budget for fifty, over three replicas.

Each request says ``max_tokens``, so that its possible cost is known. The prompt is a small part of the cost, so the
estimate of its tokens decides nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from benchmarks.limits.accounts import read_spend
from benchmarks.limits.asking import Ask, Outcome
from benchmarks.limits.bill import Usage
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.goals import Figure, at_least, at_most, exactly
from benchmarks.limits.load import client_session, send_at_once
from benchmarks.limits.provider import OPENAI, PRICES, BillingProvider, Plan, billing_provider
from benchmarks.limits.texts import MESSAGE_TOKENS, TAG_TOKENS
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import valkey_server

AT_ONCE, PAID = 200, 50
"""The requests at once, and those that the budget pays for."""

PROMPT_WORDS, OUTPUT = 10, 2_000
_SLOW_S = 0.5
_MOST_WAVES = 40
_PAUSE_S = 0.3
"""Seconds between two waves. A replica remembers for a second that running requests hold what is left."""

FULL, HALF = "full", "half"
"""The keys: the answers to the first use all that was asked for, and those to the second half of it."""


async def run(directory: Path, *, at_once: int = AT_ONCE, paid: int = PAID) -> list[Figure]:
    """Send the requests, and return the figures."""
    each = Usage(PROMPT_WORDS + TAG_TOKENS + MESSAGE_TOKENS, OUTPUT).nano_usd(PRICES[OPENAI])
    budget = each * paid
    with valkey_server() as server:
        async with billing_provider() as provider:
            keys = [
                client_key(name, max_budget=budget / 10**9, budget_duration="30d") for name in (FULL, HALF)
            ]
            replicas = Replicas(directory, config_for(provider, {"url": server.url}, keys, models=(OPENAI,)))
            async with replicas:
                figures = [
                    *await _all_at_once(replicas, provider, budget, at_once, paid),
                    *await _in_waves(replicas, provider, budget, at_once, paid),
                ]
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


async def _all_at_once(
    replicas: Replicas, provider: BillingProvider, budget: int, at_once: int, paid: int
) -> list[Figure]:
    outcomes = await _wave(replicas, provider, FULL, count(1), at_once, OUTPUT)
    codes = Counter(one.error.get("code") for one in outcomes if one.status == 429)
    refused = [one for one in outcomes if not one.served]
    told = sum(one.headers.get("x-should-retry") == "false" and one.wait_s > 1 for one in refused)
    said = await read_spend(replicas.origins[0], FULL)
    billed = provider.account.exact_nano()
    return [
        at_least("requests served at once", sum(one.served for one in outcomes), paid - 1),
        at_most("nano-dollars billed", billed, budget),
        exactly("nano-dollars of the key's account", said.spent_nano, billed),
        exactly("refused with insufficient_quota", codes["insufficient_quota"], len(refused)),
        exactly("refused with the wait, and not to be tried again", told, len(refused)),
    ]


async def _in_waves(
    replicas: Replicas, provider: BillingProvider, budget: int, at_once: int, paid: int
) -> list[Figure]:
    """Send wave after wave. What was reserved and not used has to be free for the next wave."""
    before, served, numbers = provider.account.exact_nano(), 0, count(10_001)
    for _ in range(_MOST_WAVES):
        if served >= 2 * paid - 2:
            break
        outcomes = await _wave(replicas, provider, HALF, numbers, at_once // 4, OUTPUT // 2)
        served += sum(one.served for one in outcomes)
        await asyncio.sleep(_PAUSE_S)
    billed = provider.account.exact_nano() - before
    return [
        at_least("requests served in waves, each at half of its reserve", served, 2 * paid - 2),
        at_most("nano-dollars billed, in waves", billed, budget),
    ]


async def _wave(
    replicas: Replicas, provider: BillingProvider, key: str, numbers: count[int], size: int, output: int
) -> list[Outcome]:
    asks = []
    for number in (next(numbers) for _ in range(size)):
        provider.plans[number] = Plan(output=output, pace_s=_SLOW_S)
        asks.append(Ask(number, key, OPENAI, prompt_words=PROMPT_WORDS, most_output=OUTPUT))

    def origins() -> Sequence[tuple[int, str]]:
        return list(enumerate(replicas.origins))

    async with client_session() as http:
        return await send_at_once(http, origins, asks)
