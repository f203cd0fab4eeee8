"""Runs turnright in this process, on a real socket in front of the scripted provider, and sends requests to it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import orjson

from benchmarks.compaction.provider import SUMMARISER, Provider
from benchmarks.sanitize import History
from proxy.config import load_settings
from proxy.observability.logs import configure_logs
from proxy.state.external import guarded_backend
from proxy.state.external.guarded_backend import GuardedBackend
from proxy.state.redis import connection, connections
from proxy.upstream.select_transport import SelectingUpstream
from tests.support.proxied import Proxied, proxied

MAIN, CHEAP = "main", "cheap"
"""The configured names of the model that answers conversations, and of the model that summarizes."""

RESERVE = 1_024
"""The tokens of the window that are kept for the answer."""


def config_for(provider: Provider, limit: int, *, enabled: bool = True, **sections: Any) -> dict[str, Any]:
    """Return a configuration whose model has a limit of *limit* tokens for a prompt.

    The settings of ``compaction`` in *sections* are added to the drivers' usual settings. Usually there is no limit on
    the summaries' share of tokens, since these short conversations need many summaries.
    """

    def entry(name: str, model: str, window: int) -> dict[str, Any]:
        parameters = {"model": f"openai/{model}", "api_key": "scripted", "api_base": provider.api_base}
        info = {"max_input_tokens": window, "max_output_tokens": RESERVE}
        return {"model_name": name, "transport": "direct", "litellm_params": parameters, "model_info": info}

    config = {
        "model_list": [
            entry(MAIN, "scripted-main", limit + RESERVE),
            entry(CHEAP, SUMMARISER, 200_000),
        ],
        "general_settings": {"drain_delay": 0, "drain_grace": 1},
        "router_settings": {"num_retries": 0},
    }
    compaction = {"enabled": True, "model": CHEAP, "max_share": 1.0, **sections.pop("compaction", {})}
    return {**config, **sections, **({"compaction": compaction} if enabled else {})}


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer's status, the numbers in its header ``x-turnright-budget``, and its header of changes."""

    status: int
    budget: dict[str, int]
    changes: str

    @property
    def memory(self) -> int:
        """The tokens of the memory that was sent, or 0."""
        return self.budget.get("memory", 0)


def read_budget(header: str) -> dict[str, int]:
    """Return the numbers of the header ``x-turnright-budget`` by their names."""
    fields = (field.replace("<=", "=").replace(">=", "=").partition("=") for field in header.split(";"))
    return {name: int(value.rstrip("%")) for name, _, value in fields if value.rstrip("%").isdigit()}


async def ask(gateway: Proxied, messages: History, user: str = "", **fields: Any) -> Asked:
    """Send *messages* as the conversation *user*, and read the whole answer."""
    body = {"model": MAIN, "messages": messages, "user": user, **fields}
    reply = await gateway.post(orjson.dumps(body))
    return Asked(
        reply.status,
        read_budget(reply.headers.get("x-turnright-budget", "")),
        reply.headers.get("x-turnright-changes", ""),
    )


@asynccontextmanager
async def serving(config: dict[str, Any]) -> AsyncIterator[Proxied]:
    """Serve *config* in this process while the context lasts. The log is discarded."""
    configure_logs(io.StringIO())
    settings = load_settings(orjson.dumps(config), {}).settings
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as gateway:
        yield gateway


@contextmanager
def patient_stores(seconds: float = 10.0) -> Iterator[None]:
    """Let every store wait *seconds* for its server while the context lasts."""
    with (
        patch.object(GuardedBackend.call, "__defaults__", (seconds,)),
        patch.object(guarded_backend, "WAIT_S", seconds),
        patch.object(connection, "REPLY_S", seconds),
        patch.object(connections, "EXCHANGE_S", seconds),
    ):
        yield


def memory_of(messages: History) -> str | None:
    """Return the text of the user message right after the user's first message in *messages*, or None.

    In a request with a memory, this message is the memory. *messages* are those that the provider received.
    """
    lead = next((at for at, message in enumerate(messages) if message["role"] == "user"), len(messages))
    found = messages[lead + 1 : lead + 2]
    if not found or found[0]["role"] != "user":
        return None
    content = found[0]["content"]
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)


async def settle(gateway: Proxied, seconds: float = 60.0) -> None:
    """Wait until *gateway* has no request in flight, and writes no summary."""
    await gateway.idle()
    jobs = gateway.server.gateway.summaries
    async with asyncio.timeout(seconds):
        while jobs.is_busy:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.002)
