"""Shared parts of the tests of a request's attempts: settings, refusals, good answers, and how replies are read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.config import Settings
from proxy.core.errors import UpstreamFault
from proxy.core.failures import Evidence
from tests.support.proxied import MODEL, Reply, settings_of
from tests.support.scripted_upstream import STOP, ScriptedUpstream, Step, answer, say

BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


def refused(status: int, words: str = "No.", body: Any = None, **headers: str) -> UpstreamFault:
    """Build a provider's refusal."""
    evidence = Evidence(
        status, {k.replace("_", "-"): v for k, v in headers.items()}, json.dumps(body or {}).encode()
    )
    return UpstreamFault(words, upstream_status=status, evidence=evidence)


def good(stream: bool) -> list[Step]:
    """Build the steps of an answer with the text "fine"."""
    return [say("fine"), STOP] if stream else [answer("fine")]


def text_of(reply: Reply) -> str:
    """Return the text of a reply, streamed or not."""
    assert reply.status == 200, reply.raw
    if not reply.headers["Content-Type"].startswith("text/event-stream"):
        return str(reply.json["choices"][0]["message"]["content"])
    assert reply.events[-1] == "[DONE]", reply.events
    return "".join(c["delta"].get("content") or "" for e in reply.events[:-1] for c in e["choices"])


def models(upstream: ScriptedUpstream) -> list[str]:
    """Return the models that were called, in order."""
    return [call.deployment.model_id for call in upstream.calls]


PRIMARY = "gemini-3.6-flash"


def settings_with_fallbacks(**more: Any) -> Settings:
    """Return settings with retries, a model with fallbacks, and a pool of two deployments.

    *more* are router settings.
    """
    models = {MODEL: "gemini/gemini-3.6-flash", "spare": "openai/gpt-4.1", "long": "openai/gpt-long"}
    entries = [{"model_name": name, "litellm_params": {"model": model}} for name, model in models.items()]
    entries += [{"model_name": "pool", "litellm_params": {"model": f"openai/pool-{at}"}} for at in (0, 1)]
    router = {
        "num_retries": 2,
        "fallbacks": [{MODEL: ["spare"]}],
        "context_window_fallbacks": [{MODEL: ["long"]}],
        "timeout": 60,
        "first_byte_timeout": 30,
        **more,
    }
    return settings_of(model_list=entries, router_settings=router)
