"""A deployment: one model at one provider, with the credentials for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from pydantic import SecretStr
from typing_extensions import override

from proxy.core.forward_proxies import ForwardProxies

Transport = Literal["auto", "litellm", "direct"]

Key: TypeAlias = tuple[int, str]
"""The key of a deployment within one configuration: the position of its entry, and the model.

A wildcard entry stands for many models, so the position alone is not enough.
"""


@dataclass(frozen=True, slots=True)
class Deployment:
    """One way to get an answer: a model at a provider, with the credentials for it."""

    name: str
    """The ``model_name`` of the deployment's entry in ``model_list``: a name, or a wildcard for many models."""

    model: str
    """The model in litellm's spelling, a wildcard already replaced: ``gemini/gemini-2.5-pro``, ``gpt-4o``."""

    provider: str
    """The part of :attr:`model` before the first slash, or ``openai`` for an OpenAI name without a slash."""

    model_id: str
    """The part of :attr:`model` after the first slash: the provider's own name of the model."""

    api_key: SecretStr | None
    api_base: str | None
    timeout_s: float
    """Seconds for one attempt: the entry's own timeout, or the router's deadline."""

    allowed_openai_params: frozenset[str]
    transport: Transport
    max_input_tokens: int | None
    max_output_tokens: int | None
    extra_headers: Mapping[str, SecretStr]
    credentials: Mapping[str, SecretStr | str]
    """Further arguments of litellm's call, under its names (``aws_region_name``, ``vertex_project`` ...)."""

    label: str
    """The metric label, from a closed set: the configured name or the wildcard itself."""

    position: int
    """The position of the entry in the file's ``model_list``, from 0. It distinguishes deployments of one name."""

    profile: str | None = None
    """The name of the rule profile for the deployment's histories, if the entry gives one."""

    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Request parameters that are used where the request does not give them."""

    extra_body: Mapping[str, Any] = field(default_factory=dict)
    """Fields that are added to the provider's request body as they are."""

    stream: bool | None = None
    """True to ask for streams only, False to ask for whole answers only, None to ask as the client does."""

    order: int | None = None
    """The rank among the deployments of one name, the lowest first. None comes last."""

    weight: float = 0.0
    """The share of requests among the deployments of one name and order.

    A deployment without a weight (0) comes after those with a weight.
    """

    variables: tuple[str, ...] = ()
    """The environment variables that the key and the other secrets were read from, for the operator's log."""

    embeds: bool = False
    """True where ``model_info`` says that the model is for embeddings."""

    mode: Literal["chat", "responses"] | None = None
    """The API that ``model_info`` names for the model's chats. None where the model's name decides."""

    names_provider: bool = False
    """True where the client named the provider, and the entry's model is ``*``."""

    serves_objects: bool = False
    """True where clients may name objects in the provider's account: there is one client, or the entry allows it."""

    provider_state: bool = False
    """True where the provider stores responses and conversations for clients of its own format."""

    counts_at_provider: bool = False
    """True where the provider is asked for the number of a Messages request's tokens."""

    rpm: int | None = None
    """Requests in a minute that the deployment takes, over all replicas. None where there is no limit."""

    tpm: int | None = None
    """Tokens in a minute that the deployment takes, over all replicas. None where there is no limit."""

    price_info: Mapping[str, Any] = field(default_factory=dict)
    """The operator's prices in LiteLLM's spelling, in dollars for one token, as :class:`~decimal.Decimal`.

    ``tiered_pricing`` is a tuple of mappings: ``range`` is a pair of token counts (the second may be None, which means
    no end), and each price is a Decimal. Empty where the operator names no price.
    """

    forward_proxies: ForwardProxies = field(default_factory=ForwardProxies)
    """The forward proxies that the environment names. Only litellm uses them."""

    key: Key = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the key and its hash once. Many maps are keyed by deployments and read in every request."""
        key = self.position, self.model
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "_hash", hash(key))

    @override
    def __hash__(self) -> int:
        """Return the hash of the key."""
        return self._hash
