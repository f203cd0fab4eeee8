"""Serves the proxy with two models, and asks it by Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, Step

PATH = "/v1/messages"
VERSION = {"anthropic-version": "2023-06-01"}
KEYS = {"keys": [{"name": "ann", "key": "sk-ann-000000"}, {"name": "ben", "key": "sk-ben-000000"}]}
MODELS = {"claude-gpt": "openai/gpt-4o", "claude-gem": "gemini/gemini-3.6-flash"}


@asynccontextmanager
async def serving(
    *replies: Iterable[Step], models: Mapping[str, Any] = MODELS, **sections: Any
) -> AsyncIterator[tuple[Proxied, ScriptedUpstream]]:
    """Serve the proxy in front of an upstream that gives *replies*."""
    upstream = ScriptedUpstream(*replies)
    async with proxied(settings_of(models, **sections), upstream) as proxy:
        yield proxy, upstream


def request(content: Any = "Hello.", **fields: Any) -> dict[str, Any]:
    """Return the body of a request. *content* is a text, or the whole list of messages."""
    messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
    return {"model": "claude-gpt", "max_tokens": 1024, "messages": messages, **fields}


async def ask(
    proxy: Proxied,
    content: Any = "Hello.",
    *,
    path: str = PATH,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> Reply:
    """Ask for an answer to *content*."""
    return await proxy.post(request(content, **fields), path, {**VERSION, **(headers or {})})


def error_of(reply: Reply) -> tuple[int, str, str]:
    """Return the status, type and message of an error, which must be in Anthropic's envelope."""
    body = reply.json
    assert body["type"] == "error"
    assert body["request_id"] == reply.headers["request-id"] == reply.headers["x-request-id"]
    return reply.status, body["error"]["type"], body["error"]["message"]
