"""Settings with limited keys, and requests that carry one of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from proxy.config import Settings
from proxy.state.limits.claims import KeyTotals, Standing
from tests.support.proxied import CHAT, Proxied, Reply, chat, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

KEY = "ci"
OTHER = "other"
MASTER = "sk-master-51b7"
PRICED = "openai/gpt-4.1"
"""A model of 2 dollars and 8 dollars a million tokens."""

INPUT, OUTPUT = 2_000, 8_000
"""The price of a token of `PRICED`, in 10⁻⁹ dollars."""

ANSWERED = 7 * INPUT + 3 * OUTPUT
"""The cost of the scripted upstream's answer, with 7 tokens of the prompt and 3 of the answer."""


def keyed_settings(
    key: Mapping[str, Any], models: Mapping[str, Any] | None = None, **sections: Any
) -> Settings:
    """Return settings with a master key, the key `KEY` with the fields of *key*, and an unlimited key."""
    general = {
        "master_key": MASTER,
        "keys": [{"name": KEY, "key": secret_of(KEY), **key}, {"name": OTHER, "key": secret_of(OTHER)}],
        **sections.pop("general_settings", {}),
    }
    return settings_of(models or {"m": PRICED}, general_settings=general, **sections)


def secret_of(name: str) -> str:
    """Return the secret of the key named *name*."""
    return f"sk-{name}-0c44d1b29f"


def sent_by(name: str = KEY, **more: str) -> dict[str, str]:
    """Return the headers of a request with the key named *name*."""
    return {"Authorization": f"Bearer {secret_of(name)}", **more}


@asynccontextmanager
async def keyed(
    key: Mapping[str, Any],
    upstream: ScriptedUpstream,
    models: Mapping[str, Any] | None = None,
    **sections: Any,
) -> AsyncIterator[Proxied]:
    """Serve the proxy of :func:`keyed_settings`."""
    async with proxied(keyed_settings(key, models, **sections), upstream) as proxy:
        yield proxy


async def ask(proxy: Proxied, name: str = KEY, path: str = CHAT, **fields: Any) -> Reply:
    """Send a chat with the key named *name*."""
    return await proxy.post(chat(**{"model": "m", **fields}), path, sent_by(name))


def spent(proxy: Proxied, name: str = KEY) -> KeyTotals:
    """Return the spend of the key named *name*."""
    return proxy.server.gateway.limiter.own_totals(name)


async def left(proxy: Proxied, name: str = KEY) -> Standing:
    """Return what is left of the limits of the key named *name*."""
    standing = await proxy.server.gateway.limiter.standing_of(name)
    assert standing is not None
    return standing
