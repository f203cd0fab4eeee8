"""Serves the Responses API on a real socket with a scripted upstream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream

MODEL = "gpt"
PATH = "/v1/responses"
CLIENTS = {"ann": "sk-ann-0123456789abcdef", "bob": "sk-bob-0123456789abcdef"}
KEYS = [{"name": name, "key": key} for name, key in CLIENTS.items()]


def bearer(name: str) -> dict[str, str]:
    """Return the header with a client's key."""
    return {"Authorization": f"Bearer {CLIENTS[name]}"}


@asynccontextmanager
async def serving(*script: Any, **sections: Any) -> AsyncIterator[tuple[Proxied, ScriptedUpstream]]:
    """Serve with an upstream that answers as *script* says, and with settings of *sections*."""
    upstream = ScriptedUpstream(*script)
    async with proxied(settings_of({MODEL: "openai/gpt-4.1"}, **sections), upstream) as proxy:
        yield proxy, upstream


async def ask(proxy: Proxied, given: Any = "Hello.", client: str | None = None, **fields: Any) -> Reply:
    """Post a request for a response. A *client* sends its key."""
    headers = None if client is None else bearer(client)
    return await proxy.post({"model": MODEL, "input": given, **fields}, PATH, headers)


def sent(upstream: ScriptedUpstream, index: int = -1) -> list[tuple[str, Any]]:
    """Return the roles and contents of the messages of one call upstream."""
    messages = upstream.exchanges[index].call.messages
    return [(message["role"], message.get("content")) for message in messages]
