"""Tests of learned repairs in the real process: reloads, restarts, other processes, and the operator's command."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from benchmarks.learned.gateways import config_for
from benchmarks.learned.provider import providing
from benchmarks.learned.sharing import PARAMETERS, SHARED_S, Asking, Result, refuse_all, restart
from benchmarks.state.replicas import Replicas
from tests.process.commands import run
from tests.process.running import Served, serve
from tests.process.test_reload import put
from tests.support.store_servers import valkey_server
from tests.support.waiting import until

FIRST, SECOND = list(PARAMETERS)[:2]
MASTER, CLIENT = "sk-master-0123456789", "sk-client-0123456789"
KEYS: dict[str, Any] = {"master_key": MASTER, "keys": [{"name": "client", "key": CLIENT}]}


@asynccontextmanager
async def asking(key: str = "") -> AsyncIterator[Asking]:
    """Serve a provider that refuses parameters, and yield a client with *key*."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with providing(refuse_all) as provider, aiohttp.ClientSession(headers=headers) as session:
        yield Asking(provider, session)


def find_config(directory: Path) -> Path:
    """Return the only configuration in *directory*."""
    [path] = directory.glob("*.yaml")
    return path


async def learned_command(served: Served, *arguments: str, key: str = MASTER) -> tuple[int, str, str]:
    """Run ``turnright learned`` for a process. Return the exit status, the output and the errors."""
    given = ("learned", *arguments, "--url", served.origin)
    done = await asyncio.to_thread(run, *given, TURNRIGHT_MASTER_KEY=key)
    return done.returncode, done.stdout, done.stderr


async def test_reload_keeps_evidence_and_the_setting_decides_what_is_done_with_it(tmp_path: Path) -> None:
    """Evidence of ``observe`` counts after a reload to ``true``. After one to ``false`` it is neither used nor lost."""
    async with asking() as client:
        with serve(tmp_path, config_for(client.provider, "openai", "observe")) as served:
            path = find_config(tmp_path)

            async def reload(learn: str) -> None:
                before = len(served.running.events("config_reloaded"))
                put(path, config_for(client.provider, "openai", learn))
                await until(lambda: len(served.running.events("config_reloaded")) > before, 30)

            observed = [await client.cost(served.origin, FIRST) for _ in range(6)]
            await reload("true")
            learned = await client.cost(served.origin, FIRST)
            await reload("false")
            off = [await client.cost(served.origin, name) for name in (FIRST, *[SECOND] * 5)]
            await reload("true")
            again = [await client.cost(served.origin, name) for name in (FIRST, SECOND)]

    assert (observed, learned, off, again) == ([2] * 6, 1, [2] * 6, [1, 2])


async def test_command_lists_and_forgets_with_the_master_key(tmp_path: Path) -> None:
    """A client's key, and no key, get neither the list nor the power to forget."""
    async with asking(CLIENT) as client:
        with serve(tmp_path, config_for(client.provider, "openai", general_settings=KEYS)) as served:
            await client.teach(served.origin, FIRST)
            url = f"{served.origin}/v1/learned"
            statuses, listed = [], {}
            for key in ("", CLIENT, MASTER):
                for method in ("DELETE", "GET"):
                    headers = {"Authorization": f"Bearer {key}"}
                    async with client.session.request(method, url, headers=headers) as response:
                        statuses.append(response.status)
                        listed = await response.json()
            [row] = listed["data"]
            refused = await learned_command(served, key=CLIENT)
            status, table, _ = await learned_command(served)
            used = await client.cost(served.origin, FIRST)
            forgotten = await learned_command(served, "forget", row["id"])
            after = await client.cost(served.origin, FIRST)

    assert statuses == [401, 401, 403, 403, 400, 200]
    assert (refused[0], status, forgotten) == (3, 0, (0, f"Forgotten: {row['id']}\n", ""))
    assert (row["fault"], row["feature"], row["client"], row["learned"]) == (
        "parameter",
        FIRST,
        "client",
        True,
    )
    assert all(word in table for word in (row["id"], FIRST, "client", "0.71", "in advance"))
    assert (used, after) == (1, 2)
    assert [event["key"] for event in served.running.events("repair_learned")] == ["client"]
    assert [event["id"] for event in served.running.events("repair_forgotten")] == [row["id"]]


@pytest.mark.parametrize("kill", [False, True], ids=["ended", "killed"])
async def test_evidence_survives_a_restart_with_a_file(tmp_path: Path, kill: bool) -> None:
    """The first request after the restart costs one call, also where the process was killed after it had written."""
    result = Result()
    async with asking() as client:
        await restart(tmp_path, client, result, kill=kill, parameters=[FIRST])

    assert result.violations == []


async def test_processes_share_what_they_learn_unlearn_and_forget(tmp_path: Path) -> None:
    """Each change is known to the other process within ten seconds."""
    with valkey_server() as server:
        async with asking() as client:
            config = config_for(client.provider, "openai", store={"url": server.url})
            replicas = Replicas(tmp_path, config, count=2)
            async with replicas:
                one, other = replicas.origins

                async def knows(names: set[str]) -> None:
                    async with asyncio.timeout(SHARED_S):
                        while await client.learned(other) != names:  # noqa: ASYNC110 - there is no event for it
                            await asyncio.sleep(0.1)

                for name in (FIRST, SECOND):
                    await client.teach(one, name)
                await knows({FIRST, SECOND})
                costs = [await client.cost(other, name) for name in (FIRST, SECOND)]
                async with client.session.get(f"{one}/v1/learned") as response:
                    ids = {row["feature"]: row["id"] for row in (await response.json())["data"]}
                async with client.session.delete(f"{one}/v1/learned", params={"id": ids[FIRST]}):
                    await knows({SECOND})
                client.provider.judge = lambda _: None
                for _ in range(50):
                    await client.cost(one, SECOND)
                await knows(set())

    assert (costs, replicas.faults) == ([1, 1], [])
