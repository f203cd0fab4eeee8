"""Decides whether the direct transport can call a deployment, and gives the reason where only litellm can.

The direct transport speaks OpenAI's wire to each provider with a row, and Anthropic's and Gemini's to these two. A few
deployments of such providers need more: a setting that is missing, a token that an SDK fetches, or another wire.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from proxy.config.litellm_models import answers_responses, embeds
from proxy.config.providers.find_provider import find_provider

NEEDS = "the direct transport needs"
"""Begins each reason that a setting would remove."""

ALWAYS_DIRECT = frozenset({"gemini", "openai"})
"""Providers that ``auto`` calls directly behind a forward proxy too, since it always did."""

MAY_LEAVE_OWN_WIRE = frozenset({"anthropic"})
"""Providers with a wire of their own that ``auto`` leaves to litellm behind a forward proxy, as it did before."""

LISTED_RESPONSES = frozenset({"azure", "openai", "xai"})
"""Providers of which litellm's table decides which models have no chats, and are asked through the Responses API.

"The chatCompletion operation does not work with the specified model, gpt-5.1-codex." (langchain-azure#228)
"""

EMBEDS_ONLY_BY_LITELLM = frozenset({"huggingface", "perplexity"})
"""Providers whose embeddings have a form of their own, which litellm (1.105.3) reads.

Of all other rows without embeddings, litellm refuses them itself.
"""

_EMBEDDINGS = "the model's embeddings have a form that litellm reads"

_AZURE_V1 = frozenset({"latest", "preview", "v1"})
"""Values of ``api_version`` that mean Azure's API without versions (learn.microsoft.com, "API version lifecycle")."""

_AZURE_SECRETS = ("client_secret", "azure_password")

_BY_RESPONSES = "the model is asked through the Responses API"

_WITH_RESPONSES = frozenset({"databricks"})
"""Providers of which litellm's table lists models without chats, and litellm alone knows their Responses API."""

_OLLAMA_OPTIONS = frozenset(
    {
        *(
            "keep_alive",
            "min_p",
            "mirostat",
            "mirostat_eta",
            "mirostat_tau",
            "num_batch",
            "num_ctx",
            "num_gpu",
        ),
        *(
            "num_keep",
            "num_predict",
            "num_thread",
            "repeat_last_n",
            "repeat_penalty",
            "tfs_z",
            "think",
            "top_k",
        ),
        *("typical_p", "use_mlock", "use_mmap"),
    }
)
"""Fields of Ollama's own API that its ``/v1`` ignores (docs.ollama.com, "OpenAI compatibility")."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """The facts of a deployment that decide about its transport.

    *model_id* is None for a wildcard. *given* are the further credentials. *fields* are the names of the fields that
    are added to each body, and of those that a client may add. *embeds* is True where the settings say that the model
    is for embeddings. *mode* is the API that the settings name for its chats, or None. *forward_proxy* is the variable
    of the forward proxy that is meant for the address, or None.
    """

    provider: str
    model_id: str | None
    api_base: str | None
    has_key: bool
    given: Mapping[str, object]
    fields: Collection[str] = field(default=())
    embeds: bool = False
    mode: str | None = None
    forward_proxy: str | None = None


def why_litellm(facts: CallFacts) -> str | None:
    """Return the reason why the direct transport cannot call the deployment, or None where it can.

    The reason names the setting that would change it, if there is one.
    """
    row = find_provider(facts.provider)
    if facts.provider in MAY_LEAVE_OWN_WIRE:
        return _behind_forward_proxy(facts)
    if row is None:
        return "the direct transport does not speak this provider's wire"
    if _asks_responses(facts):
        return _BY_RESPONSES
    if facts.api_base is None and row.base is None:
        return f"{NEEDS} litellm_params.api_base"
    if _embeds_only_by_litellm(facts):
        return _EMBEDDINGS
    find = _FURTHER.get(facts.provider)
    reason = None if find is None else find(facts)
    if reason is None and facts.provider not in ALWAYS_DIRECT:
        return _behind_forward_proxy(facts)
    return reason


def _behind_forward_proxy(facts: CallFacts) -> str | None:
    if facts.forward_proxy is None:
        return None
    return f"the direct transport does not use the forward proxy of {facts.forward_proxy}"


def reads_table(provider: str) -> bool:
    """Tell whether litellm's table decides about a model of *provider*. Its first reading takes some 20 ms."""
    return provider in _WITH_RESPONSES | LISTED_RESPONSES | EMBEDS_ONLY_BY_LITELLM


def _embeds_only_by_litellm(facts: CallFacts) -> bool:
    if facts.provider not in EMBEDS_ONLY_BY_LITELLM:
        return False
    return facts.embeds or (facts.model_id is not None and embeds(f"{facts.provider}/{facts.model_id}"))


def _asks_responses(facts: CallFacts) -> bool:
    """Tell whether litellm asks the model through the Responses API, since the model has no chats."""
    if facts.model_id is None or facts.mode is not None or facts.provider not in _WITH_RESPONSES:
        return False
    return answers_responses(f"{facts.provider}/{facts.model_id}")


def _azure(facts: CallFacts) -> str | None:
    base, version = facts.api_base or "", str(facts.given.get("api_version") or "")
    if not facts.has_key and "azure_ad_token" not in facts.given:
        fetched = next((name for name in _AZURE_SECRETS if name in facts.given), None)
        if fetched is not None:
            return f"litellm fetches a token of Entra ID with {fetched}"
        return f"{NEEDS} litellm_params.api_key or azure_ad_token"
    if str(facts.given.get("azure_ad_token", "")).startswith("oidc/"):
        return "litellm exchanges the token of azure_ad_token"
    if urlsplit(base).hostname == "gateway.ai.cloudflare.com":
        return "the gateway has addresses of its own"
    if not version and not is_azure_v1(base, version):
        return f"{NEEDS} litellm_params.api_version"
    return None


def is_azure_v1(api_base: str, api_version: str) -> bool:
    """Return True where an address and a version mean Azure's API without versions, which OpenAI's addresses have."""
    return api_base.removesuffix("/chat/completions").endswith("/openai/v1") or api_version in _AZURE_V1


def _databricks(facts: CallFacts) -> str | None:
    if not facts.has_key:
        return f"{NEEDS} litellm_params.api_key; litellm may fetch a token"
    if (facts.model_id or "").count(".") == 2:
        return "models of Unity Catalog have another address"
    return None


def _huggingface(facts: CallFacts) -> str | None:
    if facts.api_base is None and facts.model_id is not None and facts.model_id.count("/") != 1:
        return "litellm looks up the provider: write huggingface/ORG/NAME:PROVIDER for the direct transport"
    return None


def _ollama(facts: CallFacts) -> str | None:
    options = sorted(_OLLAMA_OPTIONS.intersection(facts.fields))
    return f"Ollama's /v1 ignores {options[0]}" if options else None


def _perplexity(facts: CallFacts) -> str | None:
    name = facts.model_id or ""
    if name.startswith("pplx-embed"):
        return _EMBEDDINGS
    return _BY_RESPONSES if "/" in name else None


def _baseten(facts: CallFacts) -> str | None:
    name = facts.model_id or ""
    is_dedicated = facts.api_base is None and len(name) == 8 and name.isalnum()
    return (
        "a dedicated deployment has an address of its own: set litellm_params.api_base"
        if is_dedicated
        else None
    )


_FURTHER = {
    "azure": _azure,
    "baseten": _baseten,
    "databricks": _databricks,
    "huggingface": _huggingface,
    "ollama_chat": _ollama,
    "perplexity": _perplexity,
}
"""The providers of which some deployments need litellm."""
