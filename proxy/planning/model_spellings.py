"""The names under which a table of models may list a deployment's model.

A deployment's configured name holds more than the model. ``bedrock/converse/us.anthropic.claude-…`` holds an API and a
region, ``openrouter/openai/gpt-4o`` a vendor, ``openai/ft:gpt-4o-mini:org::id`` an organisation. The route, such as
``bedrock``, decides which other parts may be left out. On routes that serve any weights under any name, only the full
name is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from proxy.core.deployment import Deployment

OWN_WINDOWS = frozenset(
    {
        "chatgpt",  # litellm's table has 128,000 for models that have 272,000 at OpenAI
        "custom",
        "docker_model_runner",
        "github_copilot",  # 64,000 for gpt-4o, in the same table
        "hosted_vllm",
        "huggingface",
        "infinity",
        "lemonade",
        "llamafile",
        "lm_studio",
        "nvidia_nim",
        "ollama",
        "ollama_chat",
        "oobabooga",
        "openai_like",
        "petals",
        "predibase",
        "replicate",
        "sagemaker",
        "sagemaker_chat",
        "triton",
        "vllm",
        "xinference",
    }
)
"""Routes to servers that set a window of their own. Most serve weights under names that anybody may choose."""

_VENDORS = frozenset({"anthropic", "azure", "azure_ai", "bedrock", "gemini", "google", "openai", "vertex_ai"})
"""Vendors whose models are the same on every host.

The path's next segment after a vendor is a model, an API (``converse``, ``invoke``, ``responses``), a region, an ARN,
or ``models``.
"""

_REGION = re.compile(r"[a-z-]+\.(?=[a-z0-9-]*[a-z-]\.)")
"""Matches ``us.`` before ``anthropic.``, as in the names of Bedrock's inference profiles."""

_LABELS = re.compile(r"(?:[a-z0-9-]*[a-z-]\.)+")
"""Matches ``us.anthropic.`` before a model's name, but not ``gpt-4.`` before ``1``."""


def spellings_of(deployment: Deployment) -> Iterator[str]:
    """Yield the names under which *deployment*'s model may be listed, the most specific first."""
    yield deployment.model
    if deployment.provider in OWN_WINDOWS:
        return
    yield deployment.model_id
    segments = deployment.model_id.split("/")
    above = deployment.provider
    for at, segment in enumerate(segments):
        if above in _VENDORS:
            rest = "/".join(segments[at:])
            yield f"{deployment.provider}/{rest}"
            yield rest
        if above not in _VENDORS or segment in _VENDORS:
            above = segment
    if above not in _VENDORS:
        return
    name = segments[-1]
    if region := _REGION.match(name):
        yield name[region.end() :]
    if name.startswith("ft:"):
        base = _base_of(name)
        yield f"ft:{base}"
        yield base
    if name.startswith("claude-"):  # OpenRouter writes claude-opus-4.8
        yield name.replace(".", "-")


def own_name(deployment: Deployment) -> str:
    """Return the model's own name in lower case, without route, vendor, region or organisation."""
    name = deployment.model_id.rpartition("/")[2].lower()
    if name.startswith("ft:"):
        return _base_of(name)
    labels = _LABELS.match(name)
    return name[labels.end() :] if labels else name


def vendors_of(deployment: Deployment) -> tuple[str, ...]:
    """Return the route, and the vendor that its path names last.

    Either the route or this vendor hosts the model. The result is empty for the routes in :data:`OWN_WINDOWS`.
    """
    if deployment.provider in OWN_WINDOWS:
        return ()
    path = deployment.model_id.split("/")
    return (deployment.provider, path[-2]) if len(path) > 1 else (deployment.provider,)


def _base_of(fine_tune: str) -> str:
    return fine_tune.split(":")[1]
