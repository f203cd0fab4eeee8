"""The gateway of the limited keys, and the relay before it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.clients.responses.relay import Relay
from tests.process.running import Served
from tests.support.openai_emulator import OpenAIEmulator

MODEL, EMBEDDER, HIDDEN = "gpt-4.1", "text-embedding-3-small", "gpt-4.1-mini"
WAIT_S = 2
"""Seconds after which a slow key may ask again. Two requests of one client come within this time."""

CLIENTS = (
    "openai",
    "responses",
    "openai-node",
    "anthropic",
    "anthropic-node",
    "genai",
    "genai-node",
    "litellm",
)
"""The names of the clients. Each has a slow key of its own, so that no test waits for another."""

AGENTS = ("codex", "claude-code", "gemini-cli")
AGENT_WAIT_S = 30
"""Seconds after which the key of an agent may ask again. An agent takes some of them to start."""


def key_of(name: str) -> str:
    """Return the key called *name*."""
    return f"sk-key-of-tests-{name}"


@dataclass(frozen=True)
class LimitedGateway:
    """A gateway with limited keys, and the relay before it."""

    relay: Relay
    served: Served

    @property
    def base_url(self) -> str:
        """The relay's address for OpenAI's clients."""
        return self.relay.base_url

    @property
    def origin(self) -> str:
        """The relay's address for the other clients."""
        return self.relay.base_url.removesuffix("/v1")

    def statuses(self) -> list[int]:
        """Return the statuses of all exchanges so far, and forget the exchanges."""
        found = [exchange.status for exchange in self.relay.exchanges]
        self.relay.exchanges.clear()
        return found

    def statuses_in_turn(self) -> list[int]:
        """Return the statuses of all exchanges so far, each run of equal ones as one, and forget the exchanges."""
        return [status for status, _ in groupby(self.statuses())]


def use_up(served: Served, key: str) -> None:
    """Send the one request that *key* may send at once, and one that is refused. The relay does not see them.

    The gateway remembers the refusal, and refuses later requests before it reads their bodies.
    """
    assert ask(served, key) == 200
    assert ask(served, key) == 429


def ask(served: Served, key: str) -> int:
    """Send a small request with *key*, and return the status."""
    body = {"model": MODEL, "max_tokens": 16, "messages": [{"role": "user", "content": "Hello."}]}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    asked = Request(f"{served.base_url}/chat/completions", json.dumps(body).encode(), headers)
    try:
        with urlopen(asked, timeout=60) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def spend(served: Served, openai: OpenAIEmulator, key: str) -> None:
    """Let *key* spend its budget on one request, for which the provider counts ten million tokens."""
    message = {"role": "assistant", "content": "That was dear."}
    usage = {"prompt_tokens": 10_000_000, "completion_tokens": 4, "total_tokens": 10_000_004}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chatcmpl-dear", "object": "chat.completion", "created": 1_760_000_000, "model": MODEL}
    openai.faults.append({"payload": {**head, "choices": [choice], "usage": usage}})
    assert ask(served, key) == 200


def config_of(openai: OpenAIEmulator) -> dict[str, Any]:
    """Return the configuration of a gateway with limited keys. A bucket holds one request."""
    deployment = {"api_key": "emulated", "api_base": openai.base_url}
    others: Sequence[dict[str, Any]] = (
        {"name": "spent", "max_budget": 1, "budget_duration": "1mo"},
        {"name": "expired", "expires": "2020-01-01T00:00:00Z"},
        {"name": "narrow", "models": [HIDDEN]},
        {"name": "small", "tpm_limit": 10},
        {"name": "free"},
    )
    slow = [{"name": f"slow-{name}", "rpm_limit": 60 // WAIT_S} for name in CLIENTS]
    slow += [{"name": f"slow-{name}", "rpm_limit": 60 // AGENT_WAIT_S} for name in AGENTS]
    return {
        "model_list": [
            {"model_name": name, "litellm_params": {"model": f"openai/{name}", **deployment}}
            for name in (MODEL, EMBEDDER, HIDDEN)
        ],
        "limits": {"burst": WAIT_S / 60},
        "general_settings": {
            "drain_delay": 0,
            "drain_grace": 2,
            "keys": [{**key, "key": key_of(str(key["name"]))} for key in (*slow, *others)],
        },
        "router_settings": {"num_retries": 0, "cooldown_time": 0},
    }
