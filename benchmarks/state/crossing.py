"""Two keys with equal texts and equal provider ids: no signature and no refusal of one key reaches the other.

Both keys send the same request, and the emulator answers equal requests with equal ids and equal signatures. Then each
key sends the call's result twice: under its own call id, and under the other key's.
"""

from __future__ import annotations

import copy
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.state.provider import Came, Provider, providing
from benchmarks.state.replicas import Replicas, config_for
from benchmarks.state.sessions import Session
from tests.support.store_servers import valkey_server

PAIRS = 20
"""The number of pairs of sessions. In half of them the answers are streamed."""

_KEYS = ("sk-of-one", "sk-of-other")


@dataclass
class Crossings:
    """The signatures that reached the provider, and what crossed from one key to the other."""

    came: Counter[Came] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)


async def find_crossings(directory: Path, backend: str, pairs: int = PAIRS) -> Crossings:
    """Return what crosses between two keys with the *backend*: memory, sqlite or redis.

    With Redis there are three replicas, and each key's requests go to several of them.
    """
    found = Crossings()
    with _store(directory, backend) as store:
        async with providing() as provider:
            keys = [{"name": key.removeprefix("sk-of-"), "key": key} for key in _KEYS]
            config = config_for(provider, store, general_settings={"keys": keys})
            replicas = Replicas(directory, config, count=3 if backend == "redis" else 1)
            async with replicas, aiohttp.ClientSession() as http:
                for number in range(pairs):
                    await _cross_pair(replicas, provider, http, stream=number % 2 == 0, found=found)
                await _cross_refusals(replicas, provider, http, found)
            found.violations += replicas.faults
    return found


@contextmanager
def _store(directory: Path, backend: str) -> Iterator[dict[str, Any]]:
    if backend == "redis":
        with valkey_server() as server:
            yield {"url": server.url}
    elif backend == "sqlite":
        yield {"url": f"sqlite:///{directory / 'crossing.db'}"}
    else:
        yield {"url": "memory://"}


async def _cross_pair(
    replicas: Replicas, provider: Provider, http: aiohttp.ClientSession, *, stream: bool, found: Crossings
) -> None:
    one = Session(stream=stream, key=_KEYS[0])
    other = Session(stream=stream, key=_KEYS[1], number=one.number)
    origins = replicas.origins * 4
    mark = one.mark
    for session, origin in zip((one, other), origins, strict=False):
        await session.take_turn(http, origin)
    ids = [session.messages[-1]["tool_call_id"] for session in (one, other)]
    if ids[0] == ids[1]:
        found.violations.append(f"both keys got the id {ids[0]}")
    for place, session in enumerate((one, other)):
        for owner, call_id in enumerate(ids):
            sent = copy.deepcopy(session)
            sent.messages[-2]["tool_calls"][0]["id"] = sent.messages[-1]["tool_call_id"] = call_id
            provider.seen.signatures.pop(mark, None)
            await sent.take_turn(http, origins[place + owner + 1])
            came = provider.seen.signatures[mark][0]
            found.came[came] += 1
            if came != (Came.REAL if place == owner else Came.STAND_IN):
                found.violations.append(f"key {place} sent the id of key {owner}: {came}")


async def _cross_refusals(
    replicas: Replicas, provider: Provider, http: aiohttp.ClientSession, found: Crossings
) -> None:
    """Let the provider refuse a signature of one key.

    The signature is not sent again for this key, but it is for the other key.
    """
    origins = replicas.origins * 4
    signature = b64encode(b"a signature of nobody").decode()
    sent: dict[str, list[int]] = {}
    for origin, (name, key) in zip(
        origins, (("first", _KEYS[0]), ("again", _KEYS[0]), ("other", _KEYS[1])), strict=False
    ):
        session = Session(stream=False, key=key, text=f"Work on, {name}.")
        call = {"id": "call_of_the_client", "type": "function"}
        function = {"name": "step", "arguments": f'{{"mark": "{session.mark}"}}'}
        carried = {"extra_content": {"google": {"thought_signature": signature}}}
        session.messages += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{**call, "function": function, **carried}],
            },
            {"role": "tool", "tool_call_id": call["id"], "content": "done"},
        ]
        session.turns += 1
        before = provider.seen.statuses.copy()
        await session.take_turn(http, origin)
        sent[name] = [status for status in (400, 200) if provider.seen.statuses[status] > before[status]]
    if sent != {"first": [400, 200], "again": [200], "other": [400, 200]}:
        found.violations.append(f"a refused signature: {sent}")
