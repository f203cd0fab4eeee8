"""Load at three times the limits, for minutes, on three replicas: requests of a key, tokens of a key, and a team.

Each limit has a load of its own, and all loads run at once. The exact number is that of one bucket to which the same
requests came. For tokens it is what such a bucket gives in that time, since a request's tokens are known at its end.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from pathlib import Path
from random import Random

from benchmarks.chaos.watching import total
from benchmarks.limits.asking import Ask, Outcome
from benchmarks.limits.bucket import count_granted, most_granted
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.goals import Figure, at_least, between, exactly
from benchmarks.limits.load import client_session, send_at_rate
from benchmarks.limits.provider import OPENAI, BillingProvider, Plan, billing_provider
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import valkey_server

SHARE = 0.01
"""The share by which a figure may differ from the exact number."""

TIMES = 3
"""The offered load, as a multiple of the limit."""

REQUESTS, TOKENS, ONE, TWO = "requests", "tokens", "one", "two"
"""The keys. The last two share a team."""

TOKENS_EACH = 100
"""The tokens of a request to the key with a limit of tokens, on average."""


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a run: the limits a minute in requests, and the seconds."""

    seconds: float
    per_minute: int = 300
    burst: str = "1"
    under: float = SHARE
    over: float = SHARE
    """The shares of the exact number by which a figure may be smaller and larger."""

    def judge(self, name: str, value: float, exact: float) -> Figure:
        """Return the figure *value*, whose exact number is *exact*."""
        return between(name, value, exact * (1 - self.under), exact * (1 + self.over))


async def run(directory: Path, load: Load) -> list[Figure]:
    """Run the loads, and return the figures."""
    with valkey_server() as server:
        async with billing_provider() as provider:
            config = config_for(
                provider,
                {"url": server.url},
                [
                    client_key(REQUESTS, rpm_limit=load.per_minute),
                    client_key(TOKENS, tpm_limit=load.per_minute * TOKENS_EACH),
                    client_key(ONE, team="both"),
                    client_key(TWO, team="both"),
                ],
                models=(OPENAI,),
                general={"teams": [{"name": "both", "rpm_limit": load.per_minute}]},
                limits={"burst": float(load.burst)},
            )
            replicas = Replicas(directory, config)
            async with replicas:
                figures = await _offer(replicas, provider, load)
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


async def _offer(replicas: Replicas, provider: BillingProvider, load: Load) -> list[Figure]:
    numbers = count(1)
    rate = load.per_minute / 60 * TIMES

    def origins() -> Sequence[tuple[int, str]]:
        return list(enumerate(replicas.origins))

    async with client_session() as http:
        loads = [_asks(provider, numbers, keys) for keys in ((REQUESTS,), (TOKENS,), (ONE, TWO))]
        work = [send_at_rate(http, origins, asks, rate, load.seconds) for asks in loads]
        requests, tokens, team = await asyncio.gather(*work)
    burst, each = Fraction(load.burst), load.per_minute
    used = provider.account.tokens(one.ask.number for one in tokens if one.served)
    given = most_granted(tokens[-1].at - tokens[0].at, each * TOKENS_EACH, burst)
    faults = sum([total(samples, "turnright_store_errors_total") for samples in await replicas.metrics()])
    statuses = Counter(one.status for one in (*requests, *tokens, *team))
    return [
        load.judge("requests of a key", _served(requests), _exact(requests, each, burst)),
        load.judge("requests of a team's two keys", _served(team), _exact(team, each, burst)),
        load.judge("tokens of a key", used, given),
        exactly("answers that are neither 200 nor 429", statuses.total() - statuses[200] - statuses[429], 0),
        at_least("faults of the store", faults, 0, note="replicas then go on by their shares"),
        exactly(
            "calls at the provider for refused requests", _called(provider, (*requests, *tokens, *team)), 0
        ),
    ]


def _asks(provider: BillingProvider, numbers: Iterator[int], keys: Sequence[str]) -> Iterator[Ask]:
    """Yield requests for ever. Every second one says the most output that it wants."""
    draw = Random(keys[0])
    for number in numbers:
        output = draw.randrange(10, 80)
        provider.plans[number] = Plan(output=output)
        most = output if draw.random() < 0.5 else None
        key = draw.choice(keys)
        yield Ask(number, key, OPENAI, prompt_words=draw.randrange(10, 80), most_output=most)


def _served(outcomes: Sequence[Outcome]) -> int:
    return sum(one.served for one in outcomes)


def _exact(outcomes: Sequence[Outcome], per_minute: int, burst: Fraction) -> int:
    return count_granted((one.at for one in outcomes), per_minute, burst)


def _called(provider: BillingProvider, outcomes: Sequence[Outcome]) -> int:
    return sum(provider.calls[one.ask.number] for one in outcomes if one.status == 429)
