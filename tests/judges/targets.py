"""The deployments that the judges test: model, profile and transport, with the judges of the request bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from proxy.config import resolve
from proxy.core.deployment import Deployment
from tests.support.proxied import settings_of

MISTRALS = ("mistral-1-5", "mistral-1-8", "mistral-1-13")
"""The workers of three versions of mistral-common."""

_AWS = {"aws_access_key_id": "a", "aws_secret_access_key": "b", "aws_region_name": "us-east-1"}


@dataclass(frozen=True, slots=True)
class Target:
    """A deployment, and the judges of the bodies that are written for it.

    *judges* are pairs of a worker's name and a pattern of judges' names. *templates* is the family of chat templates
    that judge the bodies too, or None. *path* is the path of the address, and *settings* are further settings of the
    deployment (``litellm_params``).
    """

    name: str
    model: str
    judges: tuple[tuple[str, str], ...]
    transport: str = "auto"
    profile: str | None = None
    templates: str | None = None
    path: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    def entry(self, url: str) -> dict[str, Any]:
        """Return the deployment's entry in ``model_list``, at the address *url*."""
        params: dict[str, Any] = {"model": self.model, "api_base": url + self.path, **self.settings}
        params |= _AWS if self.model.startswith("bedrock") else {"api_key": "k"}
        info = {"profile": self.profile} if self.profile else {}
        return {"model_name": "m", "litellm_params": params, "transport": self.transport, **info}

    def deployment(self, url: str) -> Deployment:
        """Return the deployment at the address *url*."""
        [deployment] = resolve(settings_of(model_list=[self.entry(url)]), "m")
        return deployment


_GOOGLE = (("google_types", "protobuf"), ("google_types", "genai"))
OPENAI_TYPES = (("sdk_types", "openai"),)
_BEDROCK = (("bedrock", "converse"),)
_ANTHROPIC = (("sdk_types", "anthropic"),)
MISTRAL_SERVICE = (("sdk_types", "mistralai"), *((worker, "v[!3]*-serving") for worker in MISTRALS[1:]))
"""Judges of Mistral's own service, which takes lists of parts in every role, as mistral-common does since 1.8.

No model of the service uses the validators ``v3`` any more.
"""

_MISTRAL_ON_VLLM = (*OPENAI_TYPES, *((worker, "*-test") for worker in MISTRALS))

TARGETS = (
    Target("vllm", "hosted_vllm/Qwen/Qwen3.5-35B", OPENAI_TYPES, templates="others"),
    Target("litellm-vllm", "hosted_vllm/Qwen/Qwen3.5-35B", OPENAI_TYPES, transport="litellm"),
    Target(
        "vllm-mistral",
        "hosted_vllm/mistralai/Mistral-Nemo-Instruct-2407",
        _MISTRAL_ON_VLLM,
        templates="mistral",
    ),
    Target("vllm-gemma", "hosted_vllm/google/gemma-3-12b-it", OPENAI_TYPES, templates="gemma"),
    Target("gemini-1.5", "gemini/gemini-1.5-pro", _GOOGLE),
    Target("gemini-2.5", "gemini/gemini-2.5-pro", _GOOGLE),
    Target("gemini-3", "gemini/gemini-3-pro-preview", _GOOGLE),
    Target("gemma", "gemini/gemma-3-27b-it", _GOOGLE),
    Target("gemini-3.6", "gemini/gemini-3.6-flash", _GOOGLE),
    Target("gemini-3.6-litellm", "gemini/gemini-3.6-flash", _GOOGLE, transport="litellm"),
    Target("openai", "openai/gpt-4.1", OPENAI_TYPES),
    Target("litellm-openai", "openai/gpt-4.1", OPENAI_TYPES, transport="litellm"),
    Target("claude-4.5", "anthropic/claude-sonnet-4-5", _ANTHROPIC),
    Target("claude-4.6", "anthropic/claude-opus-4-6", _ANTHROPIC),
    Target("mistral", "mistral/mistral-large-latest", MISTRAL_SERVICE),
    Target("litellm-mistral", "mistral/mistral-large-latest", MISTRAL_SERVICE, transport="litellm"),
    Target("mistral-by-profile", "openai/mistral-large", MISTRAL_SERVICE, profile="mistral"),
    *(
        Target(f"{through}{model}", f"deepseek/{model}", OPENAI_TYPES, transport=transport)
        for model in ("deepseek-chat", "deepseek-reasoner", "deepseek-v4")
        for through, transport in (("", "auto"), ("litellm-", "litellm"))
    ),
    Target("groq", "groq/llama-3.3-70b-versatile", OPENAI_TYPES),
    Target("databricks", "databricks/databricks-gpt-oss-120b", OPENAI_TYPES),
    Target("fireworks", "fireworks_ai/llama-v3p3-70b-instruct", OPENAI_TYPES),
    Target("cohere", "cohere_chat/command-a-03-2025", (("sdk_types", "cohere"),)),
    Target("ollama", "ollama_chat/qwen3.5", OPENAI_TYPES),
    Target("litellm-ollama", "ollama_chat/qwen3.5", (("sdk_types", "ollama"),), transport="litellm"),
    Target("bedrock-claude", "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", _BEDROCK),
    Target("bedrock-claude-4.6", "bedrock/us.anthropic.claude-opus-4-6-v1:0", _BEDROCK),
    Target("bedrock-llama", "bedrock/us.meta.llama4-maverick-17b-instruct-v1:0", _BEDROCK),
    Target("bedrock-nova", "bedrock/amazon.nova-pro-v1:0", _BEDROCK),
)
"""The deployments, those with the most work first. ``test_judges`` tests that every profile has one."""


def family_of(template: str) -> str:
    """Return the family of the chat template with this name, one of the values of ``Target.templates``."""
    name = template.lower()
    if "gemma" in name:
        return "gemma"
    return "mistral" if any(word in name for word in ("stral", "mixtral")) else "others"
