"""The gateway's account beside the provider's: clients leave, a replica is killed, the store is emptied twice.

Before a replica is killed, its requests come with a key of their own for some seconds. So the accounts of all other
keys have to be right to the nano-dollar. That key's account is known within bounds: its running requests are charged
from nothing to what was reserved for them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import aiohttp

from benchmarks.chaos.watching import settle
from benchmarks.limits.accounts import Spend, read_spend
from benchmarks.limits.asking import Ask, Outcome, send
from benchmarks.limits.bill import Bill, Usage
from benchmarks.limits.configuration import TIMEOUT_S, client_key, config_for
from benchmarks.limits.goals import Figure, at_least, at_most, exactly, within
from benchmarks.limits.load import client_session
from benchmarks.limits.plans import random_asks
from benchmarks.limits.provider import PRICES, BillingProvider, billing_provider
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import StoreServer, valkey_server

ESTIMATED_SHARE = 0.03
"""The share by which the sum of the estimated charges may differ from the bill."""

PAID, OTHER, LIMITED, FREE, DOOMED = "paid", "other", "limited", "free", "doomed"
"""The keys: two with budgets of a team, one with limits as well, one without a budget, and that of a killed replica."""

_KEYS = (PAID, OTHER, LIMITED, FREE)
_APART_S = 3.0
"""Seconds before a kill in which the replica's requests come with :data:`DOOMED`."""

_EMPTIED = (0.3, 0.7)
_KILLED = 0.5
"""The shares of the requests after which the store is emptied, and a replica killed."""

_FLUSHED_S = 3.0
_EXPIRED_S = TIMEOUT_S + 25.0
"""Seconds after which the reservations of a killed process have been charged."""


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a run: *rate* requests a second, drawn from *seed*. *kills* is False where no replica is killed."""

    requests: int = 10_000
    rate: float = 60.0
    seed: int = 0
    kills: bool = True


@dataclass
class Run:
    """The state of one run."""

    provider: BillingProvider
    server: StoreServer
    replicas: Replicas
    http: aiohttp.ClientSession
    load: Load
    outcomes: list[Outcome] = field(default_factory=list)
    running: Counter[tuple[int, bool]] = field(default_factory=Counter)
    """The running requests by their replica, and by whether they come with :data:`DOOMED`."""

    apart: int | None = None
    """The replica whose requests come with :data:`DOOMED`."""

    gone: int | None = None
    """The replica that was killed."""

    async def send_all(self, asks: Iterator[Ask]) -> None:
        """Send the requests at the rate, and kill and empty on the way."""
        loop = asyncio.get_running_loop()
        steps = {round(share * self.load.requests): self._empty for share in _EMPTIED}
        if self.load.kills:
            steps[round(_KILLED * self.load.requests)] = self._kill
        async with asyncio.TaskGroup() as group:
            due = loop.time()
            for place, ask in enumerate(asks):
                if place in steps:
                    group.create_task(steps[place]())
                if (left := due - loop.time()) > 0:
                    await asyncio.sleep(left)
                due += 1 / self.load.rate
                there = [number for number in range(len(self.replicas.all)) if number != self.gone]
                group.create_task(self._one(ask, there[place % len(there)]))

    async def _one(self, ask: Ask, number: int) -> None:
        if number == self.apart:
            ask = replace(ask, key=DOOMED)
        place = (number, ask.key == DOOMED)
        self.running[place] += 1
        self.outcomes.append(await send(self.http, self.replicas.all[number].origin, ask, number))
        self.running[place] -= 1

    async def _empty(self) -> None:
        await asyncio.to_thread(self.server.restart)

    async def _kill(self) -> None:
        self.apart = 1
        await asyncio.sleep(_APART_S)
        await settle(lambda: not self.running[1, False], TIMEOUT_S)
        self.gone = self.apart
        await asyncio.to_thread(self.replicas.all[self.apart].kill)


async def run(directory: Path, load: Load) -> list[Figure]:
    """Send the requests, and return the figures."""
    with valkey_server() as server:
        async with billing_provider() as provider:
            replicas = Replicas(directory, _config(provider, server))
            async with replicas, client_session() as http:
                state = Run(provider, server, replicas, http, load)
                await state.send_all(random_asks(provider, _KEYS, load.requests, Random(load.seed)))
                await asyncio.sleep(_EXPIRED_S if load.kills else _FLUSHED_S)
                spends = {key: await _read(replicas, state.gone, key) for key in (*_KEYS, DOOMED)}
                figures = [*_judge(state, spends), _judge_lines(state)]
                if state.gone is not None:
                    figures += _judge_doomed(state, spends[DOOMED][0])
                    await asyncio.to_thread(replicas.all[state.gone].restart)
                    figures.append(await _judge_new(replicas, state, spends))
    return [
        *figures,
        exactly("faults of the replicas", len(replicas.faults), 0, note="; ".join(replicas.faults)[:500]),
    ]


def _config(provider: BillingProvider, server: StoreServer) -> dict[str, object]:
    rich = {"max_budget": 1000.0, "budget_duration": "30d"}
    keys = [
        client_key(PAID, **rich, team="blue"),
        client_key(OTHER, max_budget=1000.0, team="blue"),
        client_key(LIMITED, **rich, rpm_limit=60_000, tpm_limit=60_000_000, max_parallel_requests=500),
        client_key(FREE),
        client_key(DOOMED, **rich),
    ]
    return config_for(provider, {"url": server.url}, keys, general={"teams": [{"name": "blue", **rich}]})


async def _read(replicas: Replicas, gone: int | None, key: str) -> list[Spend]:
    """Return the account of *key* as each living replica tells it."""
    return [
        await read_spend(replica.origin, key) for number, replica in enumerate(replicas.all) if number != gone
    ]


def _judge(state: Run, spends: dict[str, list[Spend]]) -> list[Figure]:
    account, figures = state.provider.account, []
    estimated, unsaid = 0, 0
    for key in _KEYS:
        others = {one.ask.number for one in state.outcomes if one.ask.key != key}
        figures.append(
            exactly(
                f"nano-dollars of {key}, usage said", spends[key][0].exact_nano, account.exact_nano(others)
            )
        )
        unsaid += account.unsaid_nano(others)
        estimated += spends[key][0].estimated_nano
    figures.append(within("nano-dollars estimated", estimated, unsaid, ESTIMATED_SHARE))
    different = {key: told for key, told in spends.items() if len(set(told)) > 1}
    kept = [one for one in state.outcomes if one.ask.key != DOOMED]
    failed = Counter(one.status for one in kept if one.status != 200)
    left = sum(one.left for one in kept)
    return [
        *figures,
        exactly("keys whose replicas tell different spends", len(different), 0, note=str(different or "")),
        exactly("requests that failed", failed.total(), 0, note=str(dict(failed)) if failed else ""),
        at_least("clients that left in mid-stream", left, 0.04 * len(kept)),
    ]


def _judge_lines(state: Run) -> Figure:
    """Judge the log lines: each has to tell the cost of its request, where the provider has said all usage."""
    bills: dict[int, list[Bill]] = defaultdict(list)
    for bill in state.provider.account.bills:
        bills[bill.number].append(bill)
    wrong = []
    for replica in state.replicas.all:
        for line in replica.running.events("request_finished"):
            number = line["request_id"].removeprefix("n")
            if not number.isdigit():
                continue  # a look at an account
            billed = bills[int(number)]
            nano = round((line.get("cost_usd") or 0.0) * 10**9)
            if all(bill.said for bill in billed) and nano != sum(bill.nano_usd for bill in billed):
                wrong.append(f"{number}: {nano}")
    return exactly("log lines with another cost than the bill", len(wrong), 0, note=", ".join(wrong[:5]))


def _judge_doomed(state: Run, spend: Spend) -> list[Figure]:
    """Judge the key of the killed replica: its running requests are charged from 0 to what was reserved."""
    account = state.provider.account
    outcomes = [one for one in state.outcomes if one.ask.key == DOOMED]
    ended = {one.ask.number for one in outcomes if one.status == 200 and not one.broken}
    running = {one.ask.number: one.ask for one in outcomes if one.ask.number not in ended}
    others = {one.ask.number for one in state.outcomes} - {one.ask.number for one in outcomes}
    least = account.exact_nano(others | running.keys())
    least += round(account.unsaid_nano(others | running.keys()) * (1 - ESTIMATED_SHARE))
    most = account.exact_nano(others | running.keys()) + round(
        account.unsaid_nano(others) * (1 + ESTIMATED_SHARE)
    )
    most += sum(_reserved(ask) for ask in running.values())
    note = f"{len(running)} requests ran at the kill"
    return [
        at_least("nano-dollars of the killed replica's key", spend.spent_nano, least, note=note),
        at_most("nano-dollars of the killed replica's key", spend.spent_nano, most, note=note),
    ]


def _reserved(ask: Ask) -> int:
    """Return the most that can have been reserved for a request."""
    most = ask.most_output if ask.most_output is not None else 1024
    return Usage(2 * ask.prompt_words + 64, most).nano_usd(PRICES[ask.model]) * 2


async def _judge_new(replicas: Replicas, state: Run, spends: dict[str, list[Spend]]) -> Figure:
    """Judge a replica that starts late: it has to tell the same spends."""
    assert state.gone is not None
    await asyncio.sleep(_FLUSHED_S)
    told = {key: await read_spend(replicas.all[state.gone].origin, key) for key in spends}
    return exactly(
        "keys of which a new replica tells another spend",
        sum(told[key] != spends[key][0] for key in spends),
        0,
    )
