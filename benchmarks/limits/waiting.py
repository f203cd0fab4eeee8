"""A client that is alone with its key, and waits as it was told, is served at once."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from itertools import count
from pathlib import Path

import aiohttp

from benchmarks.limits.asking import Ask, Outcome, send
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.goals import Figure, exactly
from benchmarks.limits.load import client_session, send_at_once
from benchmarks.limits.provider import OPENAI, BillingProvider, Plan, billing_provider
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import valkey_server

REQUESTS, TOKENS, PARALLEL, TEAM = "requests", "tokens", "parallel", "team"
_MILLISECONDS, _SECONDS = "retry-after-ms", "retry-after"
_MOST = 60


async def run(directory: Path, *, rounds: int = 20) -> list[Figure]:
    """Let a client wait *rounds* times for each limit and each header, and return the figures."""
    with valkey_server() as server:
        async with billing_provider() as provider:
            keys = [
                client_key(REQUESTS, rpm_limit=120),
                client_key(TOKENS, tpm_limit=4_000),
                client_key(PARALLEL, max_parallel_requests=2),
                client_key(TEAM, team="small", rpm_limit=600),
            ]
            config = config_for(
                provider,
                {"url": server.url},
                keys,
                models=(OPENAI,),
                general={"teams": [{"name": "small", "rpm_limit": 120}]},
                limits={"burst": 0.05},
            )
            replicas = Replicas(directory, config)
            async with replicas, client_session() as http:
                client = _Client(http, replicas, provider)
                work = [
                    client.wait(key, header, rounds)
                    for key in (REQUESTS, TOKENS, TEAM)
                    for header in (_MILLISECONDS,)
                ]
                figures = list(await asyncio.gather(*work))
                figures += [await client.wait(key, _SECONDS, max(1, rounds // 5)) for key in (REQUESTS,)]
                figures += await client.wait_for_a_place()
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


class _Client:
    """A client that sends one request after another, each to the next replica."""

    def __init__(self, http: aiohttp.ClientSession, replicas: Replicas, provider: BillingProvider) -> None:
        self._http, self._replicas, self._provider = http, replicas, provider
        self._numbers = count(1)

    async def wait(self, key: str, header: str, rounds: int) -> Figure:
        """Send until a refusal, wait as *header* says, and send again, *rounds* times.

        A first time does not count. Meanwhile the gateway learns how the provider counts tokens, and a request that is
        sent again may claim more than before.
        """
        at_once, waited = 0, 0.0
        for number in range(-1, rounds):
            refused = await self._until_refused(key)
            wait_s = float(refused.headers[header]) / (1000 if header == _MILLISECONDS else 1)
            if math.ceil(refused.wait_s) != int(refused.headers[_SECONDS]):
                continue
            await asyncio.sleep(wait_s)
            waited += wait_s
            again = await send(self._http, self._replicas.origins[0], refused.ask)  # the same request again
            at_once += again.served and number >= 0
        return exactly(
            f"served after {header}, limit of {key}", at_once, rounds, note=f"{waited:.1f} s waited"
        )

    async def wait_for_a_place(self) -> list[Figure]:
        """Fill the places of a key, get refused, and send again after an answer."""

        def origins() -> Sequence[tuple[int, str]]:
            return list(enumerate(self._replicas.origins))

        asks = [self._ask(PARALLEL, pace_s=0.8) for _ in range(6)]
        outcomes = await send_at_once(self._http, origins, asks)
        served = sum(one.served for one in outcomes)
        told = {one.headers.get(_SECONDS) for one in outcomes if one.status == 429}
        after = [await self._send(PARALLEL, origin) for origin in self._replicas.origins]
        return [
            exactly("served of six at once, limit of two in parallel", served, 2),
            exactly("refused with a wait of one second", len(told), 1, note=str(told)),
            exactly(
                "served after the places came free, on each replica", sum(one.served for one in after), 3
            ),
        ]

    async def _until_refused(self, key: str) -> Outcome:
        for place in range(_MOST):
            origins = self._replicas.origins
            outcome = await self._send(key, origins[place % len(origins)])
            if outcome.status == 429:
                return outcome
        raise RuntimeError(f"{key} was never refused")

    async def _send(self, key: str, origin: str) -> Outcome:
        return await send(self._http, origin, self._ask(key))

    def _ask(self, key: str, *, pace_s: float = 0.0) -> Ask:
        number = next(self._numbers)
        self._provider.plans[number] = Plan(output=40, pace_s=pace_s)
        return Ask(number, key, OPENAI, prompt_words=20, most_output=40)
