"""Tests of client keys in the running process: odd names, many keys, forged headers, expiry, and reloads."""

from __future__ import annotations

import asyncio
import datetime
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from benchmarks.chaos.watching import read_metrics, total
from benchmarks.limits.accounts import read_key, read_spend
from benchmarks.limits.asking import Ask, Outcome, headers_of, send
from benchmarks.limits.configuration import client_key, config_for
from benchmarks.limits.load import client_session, send_at_once
from benchmarks.limits.provider import OPENAI, OWN_LIMITS, BillingProvider, Plan, billing_provider
from benchmarks.state.replicas import Replicas
from tests.support.store_servers import valkey_server

_numbers = count(1)


@dataclass
class Setup:
    """One replica before the provider, and a client."""

    replicas: Replicas
    provider: BillingProvider
    http: aiohttp.ClientSession
    numbers: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The numbers of the requests of each key."""

    @property
    def origin(self) -> str:
        """The address of the replica."""
        return self.replicas.all[0].origin

    def ask(self, key: str, plan: Plan | None = None, **fields: Any) -> Ask:
        """Return a request of a key, which the provider answers by *plan*."""
        number = next(_numbers)
        self.numbers[key].add(number)
        self.provider.plans[number] = plan or Plan(output=5)
        return Ask(number, key, OPENAI, most_output=50, **fields)

    async def send(self, key: str, plan: Plan | None = None, **fields: Any) -> Outcome:
        """Send a request of a key."""
        return await send(self.http, self.origin, self.ask(key, plan, **fields))

    def billed(self, key: str) -> int:
        """Return the nano-dollars that the provider has billed for a key."""
        return sum(bill.nano_usd for bill in self.provider.account.bills if bill.number in self.numbers[key])

    async def reload(self, directory: Path, keys: Sequence[Mapping[str, Any]]) -> None:
        """Replace the keys, and wait until the new ones hold."""
        running = self.replicas.all[0].running
        before = len(running.events("config_reloaded"))
        config = config_for(self.provider, {"url": "memory://"}, keys, models=(OPENAI,))
        (directory / "replica-0.yaml").write_text(yaml.safe_dump(config))
        running.signal(signal.SIGHUP)
        await asyncio.to_thread(running.wait_for_events, "config_reloaded", before + 1)
        assert len(running.events("config_reloaded")) > before


@asynccontextmanager
async def serving(
    directory: Path, keys: Sequence[Mapping[str, Any]], store: str = "memory://", **sections: Any
) -> AsyncIterator[Setup]:
    """Serve *keys* from one process while the context lasts."""
    async with billing_provider() as provider:
        config = config_for(provider, {"url": store}, keys, models=(OPENAI,), **sections)
        replicas = Replicas(directory, config, count=1)
        async with replicas, client_session() as http:
            yield Setup(replicas, provider, http)
    assert replicas.faults == []


@pytest.mark.parametrize("backend", ["memory", "redis"])
async def test_keys_whose_names_resemble_each_other_have_limits_of_their_own(
    backend: str, tmp_path: Path
) -> None:
    """A name that reads like a part of a store's key, or is in another script, mixes with no other name."""
    names = ["a", "a:requests", "a:tokens", "key:a", "team:a", "{a}", "a b", "ключ", "%s", "*", 'a"}\\', "A"]
    keys = [
        client_key(str(place), rpm_limit=1, tpm_limit=1000, max_parallel_requests=5, max_budget=1.0)
        | {"name": name}
        for place, name in enumerate(names)
    ]
    with valkey_server() as server:
        url = server.url if backend == "redis" else "memory://"
        async with serving(tmp_path, keys, url, limits={"burst": 1.0}) as setup:
            for wanted in (200, 429):
                asks = [setup.ask(str(place)) for place in range(len(names))]
                outcomes = await send_at_once(setup.http, lambda: [(0, setup.origin)], asks)
                assert [one.status for one in outcomes] == [wanted] * len(names)
            samples = await read_metrics(setup.origin)

    refused = {name: total(samples, "turnright_rate_limited_total", key=name) for name in names}
    assert refused == dict.fromkeys(names, 1.0)


async def test_thousands_of_keys_are_served_each_by_its_own_limit(tmp_path: Path) -> None:
    keys = [client_key(str(place), rpm_limit=1, team=f"t{place % 500}") for place in range(3_000)]
    teams = [{"name": f"t{place}", "rpm_limit": 2} for place in range(500)]
    async with serving(tmp_path, keys, general={"teams": teams}) as setup:
        statuses = [(await setup.send(key)).status for key in ("7", "2999", "7", "507", "1007", "1")]

    assert statuses == [200, 200, 429, 200, 429, 200]


async def test_headers_of_a_client_and_of_the_provider_change_no_limit(tmp_path: Path) -> None:
    """A client's forged headers are not read, and the provider's headers about its own account are not passed on."""
    forged = {
        "x-ratelimit-remaining-requests": "1000",
        "x-ratelimit-reset-requests": "0s",
        "x-turnright-cost": "-5",
        "x-turnright-key": "other",
        "retry-after": "0",
    }
    async with serving(tmp_path, [client_key("a", rpm_limit=1), client_key("other")]) as setup:
        ask = setup.ask("a", stream=True)
        async with setup.http.post(
            f"{setup.origin}{ask.path()}", json=ask.body(), headers=headers_of("a") | forged
        ) as first:
            await first.read()
        again = setup.ask("a")
        async with setup.http.post(
            f"{setup.origin}{again.path()}", json=again.body(), headers=headers_of("a") | forged
        ) as second:
            await second.read()
        free = await setup.send("other")

    assert (first.status, second.status, free.status) == (200, 429, 200)
    assert first.headers["x-ratelimit-limit-requests"] == "1"
    assert first.headers["x-ratelimit-remaining-requests"] == "0"
    for answer in (first.headers, free.headers):
        assert not set(OWN_LIMITS.values()) & set(answer.values())


async def test_a_key_reads_its_own_account_alone(tmp_path: Path) -> None:
    async with serving(tmp_path, [client_key("a", max_budget=1.0), client_key("b", max_budget=2.0)]) as setup:
        billed = await setup.send("a")
        own, other = await read_spend(setup.origin, "a"), await read_spend(setup.origin, "b")
        url = f"{setup.origin}/v1/key"
        told = []
        for query in ("?key=b", "?name=b", "?key_name=b", "/b", "?key=sk-limits-of-b"):
            headers = {**headers_of("a"), "x-turnright-key": "b"}
            async with setup.http.get(url + query, headers=headers) as answer:
                told.append(await answer.text())
        found = await read_key(setup.origin, "a")

    assert billed.status == 200
    assert (own.spent_nano, other.spent_nano) == (setup.provider.account.exact_nano(), 0)
    assert "sk-limits" not in str(found) + "".join(told)
    assert not any('"b"' in text for text in told)


async def test_stream_of_a_key_that_expires_meanwhile_is_finished(tmp_path: Path) -> None:
    """A key is judged when its request comes. The next request is refused."""
    ends = datetime.datetime.now(tz=datetime.UTC) + datetime.timedelta(seconds=2.0)
    keys = [client_key("a", expires=ends.isoformat(), max_budget=1.0)]
    async with serving(tmp_path, keys) as setup:
        stream = await setup.send("a", Plan(output=40, pace_s=0.25), stream=True)
        after = await setup.send("a")
        bill = setup.provider.account.bills

    assert (stream.status, stream.broken, stream.seconds > 2.0) == (200, False, True)
    assert [one.said for one in bill] == [True]
    assert (after.status, after.error["code"]) == (401, "invalid_api_key")


async def test_reload_changes_the_limits_at_once_and_keeps_the_spend(tmp_path: Path) -> None:
    """A lower limit holds from the next request on, though a request runs. What was spent stays spent."""
    keys = [client_key("a", max_budget=1.0), client_key("b")]
    async with serving(tmp_path, keys) as setup, asyncio.TaskGroup() as group:
        running = group.create_task(setup.send("a", Plan(output=40, pace_s=0.15), stream=True))
        await asyncio.sleep(0.3)
        spent = await setup.send("a")
        await setup.reload(tmp_path, [client_key("a", max_budget=0.0005), client_key("b", rpm_limit=1)])
        refused = await setup.send("a")
        limited = [(await setup.send("b")).status for _ in range(2)]
        stream = await running
        lowered, bill = await read_spend(setup.origin, "a"), setup.billed("a")
        await setup.reload(tmp_path, keys)
        allowed = [(await setup.send(key)).status for key in ("a", "b", "b")]
        raised = await read_spend(setup.origin, "a")

    assert (spent.status, refused.status, refused.error["code"]) == (200, 429, "insufficient_quota")
    assert (stream.status, stream.broken, limited, allowed) == (200, False, [200, 429], [200, 200, 200])
    assert (lowered.spent_nano, raised.spent_nano) == (bill, setup.billed("a"))
