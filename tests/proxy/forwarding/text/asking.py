"""Shared parts of the tests of embeddings and text completions: paths, bodies, good answers, and settings."""

from __future__ import annotations

from typing import Any

from proxy.config import Settings
from tests.support.proxied import settings_of
from tests.support.scripted_upstream import ScriptedUpstream

EMBEDDINGS = "/v1/embeddings"
COMPLETIONS = "/v1/completions"
PATHS = (EMBEDDINGS, COMPLETIONS)

NAME = "plain"
"""A model of OpenAI's with the fallback `spare`. The model `pool` has two deployments."""


def body_for(path: str, **fields: Any) -> dict[str, Any]:
    """Build the body of a request to a path."""
    asked = {"input": "a"} if path == EMBEDDINGS else {"prompt": "a"}
    return {"model": NAME, **asked, **fields}


def embedded(*vectors: Any) -> dict[str, Any]:
    """Build a provider's answer with *vectors* as its embeddings, by default with one embedding."""
    data = [
        {"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors or ([0.5],))
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return {"object": "list", "data": data, "model": "m", "usage": usage}


def written(text: str = "fine", reason: str | None = "stop", **fields: Any) -> dict[str, Any]:
    """Build a provider's text completion, or a chunk of its stream."""
    choice = {"index": 0, "text": text, "finish_reason": reason, "logprobs": None}
    return {"id": "cmpl-1", "object": "text_completion", "model": "m", "choices": [choice], **fields}


def good(path: str) -> dict[str, Any]:
    """Build a good answer for a path."""
    if path == EMBEDDINGS:
        return embedded()
    return written(usage={"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4})


def models(upstream: ScriptedUpstream) -> list[str]:
    """Return the models that were called, in order."""
    return [call.deployment.model_id for call in upstream.plain_calls]


def plain_settings(**sections: Any) -> Settings:
    """Return settings with retries, a model with a fallback, and a pool of two deployments."""
    named = {NAME: "openai/first", "spare": "openai/second", "chatting": "gemini/gemini-3.6-flash"}
    entries = [{"model_name": name, "litellm_params": {"model": model}} for name, model in named.items()]
    entries += [{"model_name": "pool", "litellm_params": {"model": f"openai/pool-{at}"}} for at in (0, 1)]
    router = {"num_retries": 1, "fallbacks": [{NAME: ["spare"]}], "timeout": 60, "first_byte_timeout": 30}
    return settings_of(**{"model_list": entries, "router_settings": router, **sections})
