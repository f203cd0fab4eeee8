"""Serves the proxy with two models, and asks it by Gemini's own API."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from tests.support.gemini_grammar import find_error_faults
from tests.support.proxied import Proxied, Reply, proxied, settings_of
from tests.support.scripted_upstream import ScriptedUpstream, Step

KEYS = {"keys": [{"name": "ann", "key": "sk-ann-000000"}, {"name": "ben", "key": "sk-ben-000000"}]}
MODELS = {"gpt": "openai/gpt-4o", "gem": "gemini/gemini-3.6-flash", "openai/*": "openai/*"}
GENERATE, STREAM = "/v1beta/models/gpt:generateContent", "/v1beta/models/gpt:streamGenerateContent"


@asynccontextmanager
async def serving(
    *replies: Iterable[Step], models: Mapping[str, Any] = MODELS, **sections: Any
) -> AsyncIterator[tuple[Proxied, ScriptedUpstream]]:
    """Serve the proxy in front of an upstream that gives *replies*."""
    upstream = ScriptedUpstream(*replies)
    async with proxied(settings_of(models, **sections), upstream) as proxy:
        yield proxy, upstream


def request(content: Any = "Hello.", **fields: Any) -> dict[str, Any]:
    """Return the body of a request. *content* is a text, or the whole list of contents."""
    contents = content if isinstance(content, list) else [{"role": "user", "parts": [{"text": content}]}]
    return {"contents": contents, **fields}


async def ask(
    proxy: Proxied,
    content: Any = "Hello.",
    *,
    path: str = GENERATE,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> Reply:
    """Ask for an answer to *content*."""
    return await proxy.post(request(content, **fields), path, {**(headers or {})})


def error_of(reply: Reply) -> tuple[int, str, str]:
    """Return the code, status and message of an error, which must be in Google's envelope."""
    assert find_error_faults(reply.json, reply.status) == []
    error = reply.json["error"]
    return error["code"], error["status"], error["message"]


def fields_of(reply: Reply) -> list[str]:
    """Return the paths of the fields that an error names."""
    kind = "type.googleapis.com/google.rpc.BadRequest"
    found = [one for one in reply.json["error"]["details"] if one["@type"] == kind]
    return [one["field"] for detail in found for one in detail["fieldViolations"]]
