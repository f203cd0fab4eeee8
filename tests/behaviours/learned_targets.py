"""Targets for the tests of learned repairs: gateways in front of a strict provider, with evidence or without it."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from benchmarks.learned.conversations import MODEL
from benchmarks.learned.gateways import config_for, serving
from benchmarks.learned.provider import Body, Judge, Provider, Reply, providing
from proxy.core.deployment import Deployment
from proxy.state.repairs.evidence import MAX_DOUBLINGS
from proxy.state.repairs.learned_repairs import LearnedRepairs, ListedRepair
from proxy.state.repairs.repair_key import RepairKey
from tests.support.builders import user
from tests.support.proxied import Proxied
from tests.support.proxied import Reply as Answer

SEED = RepairKey("parameter", "seed", "unsupported parameter: 'seed'", loosens=False)
TEMPERATURE = RepairKey("parameter", "temperature", "unsupported parameter: 'temperature'", loosens=False)

REFUSES_SEED = Reply(words="Unsupported parameter: 'seed' is not supported.")
REFUSES_TEMPERATURE = Reply(words="Unsupported parameter: 'temperature' is not supported.")


def no_seed(body: Body) -> Reply | None:
    """Refuse the parameter ``seed``."""
    return REFUSES_SEED if "seed" in body else None


def anything(_: Body) -> None:
    """Accept every call."""


@dataclass
class Target:
    """A gateway and its provider. Each request is a conversation of its own, unless a test names one."""

    gateway: Proxied
    provider: Provider
    headers: dict[str, str] = field(default_factory=dict)
    _numbers: Any = field(default_factory=count)

    @property
    def known(self) -> LearnedRepairs:
        """The evidence."""
        return self.gateway.server.gateway.learned_repairs

    @property
    def deployment(self) -> Deployment:
        """The first deployment of the model."""
        return self.gateway.server.gateway.settings.routes.exact[MODEL][0]

    async def ask(self, **fields: Any) -> tuple[Answer, list[Body]]:
        """Send a request with ``seed``. Return the answer, and the bodies of the calls that it cost.

        *messages* come before the user's newest one, which has a *mark* of its own.
        """
        mark = fields.pop("mark", f"{next(self._numbers)}.0")
        messages = fields.pop("messages", ())
        before = len(self.provider.sent(mark))
        body = {"model": MODEL, "messages": [*messages, user(f"[{mark}] Go on.")], "seed": 7, **fields}
        answer = await self.gateway.post(body, headers=self.headers)
        return answer, self.provider.sent(mark)[before:]

    def as_client(self, key: str) -> Target:
        """Return the same target for requests with *key*."""
        return replace(self, headers={"Authorization": f"Bearer {key}"})

    async def cost(self, **fields: Any) -> int:
        """Send a request that must be answered. Return the number of calls that it cost."""
        answer, sent = await self.ask(**fields)
        assert answer.status == 200, answer.raw
        return len(sent)

    def teach(self, *keys: RepairKey, tenant: str = "", conversations: int = 4) -> None:
        """Confirm each of *keys* by so many conversations."""
        for number in range(conversations):
            self.known.confirm(self.deployment, tenant, keys, f"taught {number}")

    def make_due(self, key: RepairKey = SEED, tenant: str = "") -> None:
        """Let the next request be a probe of the repair *key*, as if the last probe had told nothing."""
        self.known.note_sent(self.deployment, tenant, [], key)
        self.known.note_unclear(self.deployment, tenant, key)

    def confirm_probes(self, key: RepairKey = SEED, tenant: str = "") -> None:
        """Let the interval between two probes of the repair *key* double to its maximum."""
        for _ in range(MAX_DOUBLINGS):
            self.known.confirm_probe(self.deployment, tenant, key)

    def evidence(self, tenants: Iterable[str] = ("",)) -> dict[tuple[str, str], ListedRepair]:
        """Return the evidence by client and feature."""
        return {(one.client, one.key.feature): one for one in self.known.list_evidence(tenants)}


@asynccontextmanager
async def target(
    judge: Judge,
    learn: str = "true",
    route: str = "openai",
    *,
    clock: Callable[[], float] | None = None,
    log: io.StringIO | None = None,
    others: Iterable[tuple[str, Mapping[str, Any]]] = (),
    **sections: Any,
) -> AsyncIterator[Target]:
    """Serve one model, whose provider follows *judge*. The jitter of retries is 0.

    *others* are further entries of the list: names, with the parameters that differ from the first entry's.
    """
    async with providing(judge) as provider:
        config = config_for(provider, route, learn, **sections)
        [entry] = config["model_list"]
        for name, differing in others:
            parameters = {**entry["litellm_params"], **differing}
            config["model_list"].append({**entry, "model_name": name, "litellm_params": parameters})
        async with serving(config, clock, log) as gateway:
            object.__setattr__(gateway.server.gateway, "random", lambda: 0.0)
            yield Target(gateway, provider)
