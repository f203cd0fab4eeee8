"""``model_list``: the names that clients send, and the deployments that answer for each name.

The shape is the LiteLLM proxy's, so that its users can bring their file. A key of LiteLLM that may guard something is
refused. A harmless key is ignored with a warning (:mod:`proxy.config.sort_keys`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from typing_extensions import override

from proxy.config.faults import refusal
from proxy.config.instruction_text import Instruction
from proxy.config.json_values import JsonValue, SecretMapping
from proxy.config.litellm_models import provider_of
from proxy.config.price_fields import read_prices
from proxy.config.references import from_environment
from proxy.config.reserved_params import is_reserved
from proxy.config.schema.credentials import Credentials
from proxy.config.schema.provider_parameters import ProviderParameters
from proxy.config.schema.request_defaults import RequestDefaults
from proxy.config.schema.section import Section
from proxy.config.values import (
    Count,
    Flag,
    HeaderName,
    HeaderSecret,
    Seconds,
    Text,
    empty_section,
    read_number,
)
from sanitizers.profile_names import PROFILES

_Numeric = BeforeValidator(read_number)
_WILDCARD_NAME = re.compile(r"[^*]*\*")

_MODES: Mapping[str, Literal["chat", "responses"]] = MappingProxyType(
    {"chat": "chat", "responses": "responses"}
)
"""The values of litellm's fact ``mode`` that name an API of chats."""


def _wildcard_name(text: str) -> str:
    if "*" in text and not _WILDCARD_NAME.fullmatch(text):
        raise refusal("a wildcard has one * at the end, as in gemini/* or *")
    return text


def _wildcard_model(text: str) -> str:
    if text.count("*") > 1:
        raise refusal("a wildcard has one *, which stands for the name that a client sends")
    return text


def _provider_and_model(text: str, info: ValidationInfo) -> str:
    """Refuse a model that names no provider, unless litellm's table knows it or the entry has an address."""
    provider, slash, rest = text.partition("/")
    if slash:
        if not provider or not rest:
            raise refusal("must be provider/model, as in gemini/gemini-2.5-flash")
        return text
    has_address = any(info.data.get(name) for name in ("api_base", "base_url", "litellm_credential_name"))
    if text == "*" or has_address or provider_of(text) is not None:
        return text
    raise refusal("must be provider/model, as in gemini/gemini-2.5-flash: litellm's table has no such model")


def _known_profile(text: str) -> str:
    if text not in PROFILES:
        raise refusal(f"must be one of {', '.join(PROFILES)}")
    return text


class LitellmParams(Credentials, RequestDefaults, ProviderParameters):
    """The call's address, key, options and default parameters for one deployment."""

    where: ClassVar[str] = "model_list[].litellm_params"

    litellm_credential_name: Text | None = None
    """The name of an entry of ``credential_list``. That entry fills in the values that this entry does not set."""

    model: Annotated[
        Text, Field(max_length=256), AfterValidator(_wildcard_model), AfterValidator(_provider_and_model)
    ]
    """``provider/model`` in litellm's spelling, or a name that litellm's table knows (``gpt-4o``). Required.

    A ``*`` stands for the part that the ``*`` of ``model_name`` stands for. A name that no table knows is asked for at
    ``api_base``, in OpenAI's format.
    """

    timeout: Seconds | None = None
    """Seconds for one attempt on this deployment. Default and upper limit: ``router_settings.timeout``."""

    allowed_openai_params: tuple[Text, ...] = ()
    """Names of unknown request parameters that are passed on to the provider.

    Default none: unknown parameters are dropped and counted. Names that would control the call itself (an address, a
    key, a header) are refused.
    """

    extra_headers: Mapping[HeaderName, HeaderSecret] = Field(default_factory=dict)
    """Headers that are sent to the provider with each call. Their values are treated as secrets."""

    order: Annotated[int, Field(strict=True, ge=-(2**31), lt=2**31), _Numeric] | None = None
    """The rank among the deployments of one name. A higher rank is asked only where the lower ones cannot answer.

    A deployment without an order comes after those with one.
    """

    weight: Annotated[float, Field(strict=True, ge=0, le=1e9, allow_inf_nan=False), _Numeric] | None = None
    """The share of the requests among the deployments of one name and order. Default: the least busy one is asked.

    Where one of these deployments has a weight, those without a weight get requests only where the others cannot
    answer.
    """

    rpm: Count | None = None
    """Requests in a minute that this deployment takes, over all replicas. More go to other deployments.

    ``rpm`` may also stand in the entry or in its ``model_info``. The lowest counts. Default: no limit.
    """

    tpm: Count | None = None
    """Tokens in a minute that this deployment takes, in the places of ``rpm``. Default: no limit."""

    headers: Mapping[HeaderName, HeaderSecret] = Field(default_factory=dict)
    """Another name of ``extra_headers``."""

    extra_body: SecretMapping = Field(default_factory=dict)
    """Fields that are added to the provider's request body: OpenRouter's ``provider``, vLLM's
    ``chat_template_kwargs``. They are sent as they are."""

    stream: Flag | None = None
    """Ask the provider for a stream (``true``) or for a whole answer (``false``), whatever the client asks for.

    The client gets what it asked for. Default: as the client asks.
    """

    @field_validator("allowed_openai_params")
    @classmethod
    def _no_reserved_params(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for position, name in enumerate(names):
            if is_reserved(name):
                raise refusal(
                    f"entry {position} would let clients steer the call itself; it cannot be allowed"
                )
        return names


class ModelInfo(Section):
    """Facts about a model that override those of the model catalogue.

    Prices have LiteLLM's names (:mod:`proxy.config.price_fields`). Other facts are free: they are kept and shown, and
    not used.
    """

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, JsonValue] = Field(init=False)

    where: ClassVar[str] = "model_list[].model_info"

    max_input_tokens: Count | None = None
    """Tokens that the model accepts. Default: the catalogue's, or unknown."""

    max_output_tokens: Count | None = None
    """Tokens that the model writes at most, the upper limit of the output reserve. Default: the catalogue's."""

    rpm: Count | None = None
    """Another place of the entry's ``rpm``."""

    tpm: Count | None = None
    """Another place of the entry's ``tpm``."""

    @property
    def price_info(self) -> Mapping[str, Any]:
        """The prices of the model, as decimals in dollars for one token. Empty where none is named."""
        return read_prices(self.__pydantic_extra__)

    @property
    def embeds(self) -> bool:
        """True where litellm's fact ``mode`` is ``embedding``."""
        return self.__pydantic_extra__.get("mode") == "embedding"

    @property
    def mode(self) -> Literal["chat", "responses"] | None:
        """The API of the model's chats where litellm's fact ``mode`` is ``chat`` or ``responses``, or else None."""
        mode = self.__pydantic_extra__.get("mode")
        return _MODES.get(mode) if isinstance(mode, str) else None

    @override
    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """Return only the fields that this class declares. Any other fact may be a secret."""
        return ((name, getattr(self, name)) for name in type(self).model_fields)


class ModelEntry(Section):
    """One deployment under a name. Entries with the same name form one pool."""

    where: ClassVar[str] = "model_list[]"

    model_name: Annotated[Text, Field(max_length=200), AfterValidator(_wildcard_name)]
    """The name that clients send, or a wildcard such as ``gemini/*`` or ``*``. Required."""

    litellm_params: LitellmParams
    """The call's address, key and options. Required."""

    model_info: Annotated[ModelInfo, BeforeValidator(empty_section)] = Field(default_factory=ModelInfo)
    """Facts about the model that override those of the model catalogue. Default: none."""

    rpm: Count | None = None
    """Another place of ``rpm`` of ``litellm_params``."""

    tpm: Count | None = None
    """Another place of ``tpm`` of ``litellm_params``."""

    transport: Annotated[Literal["auto", "litellm", "direct"], BeforeValidator(from_environment)] = "auto"
    """``litellm`` calls through that library. ``direct`` calls the provider's API without it.

    ``auto`` (default) takes ``direct`` for Gemini and for providers with OpenAI's wire, and ``litellm`` for all others.
    ``direct`` is refused where the proxy does not speak the provider's wire format.
    """

    profile: Annotated[Text, AfterValidator(_known_profile)] | None = None
    """The profile whose rules histories must follow, by the name that ``turnright check`` prints.

    Default: by the model's name and route. Set it for a server behind ``openai/`` whose model has other rules.
    """

    provider_state: Flag = False
    """Let the provider store responses and conversations of the Responses API, and not the proxy.

    The request's ``store``, ``previous_response_id`` and ``conversation`` go to the provider as they came, and its ids
    reach the client. All entries of a name have the same value. Default false: the proxy stores them, and the provider
    gets ``store: false``.
    """

    provider_objects: Flag = False
    """Let clients name objects in the provider's account, such as ``file_id``, although there are several keys.

    Clients of all keys then share these objects. Default false: with several keys, such a request gets a 400.
    """

    count_tokens: Literal["estimate", "provider"] = "estimate"
    """The counter of ``/v1/messages/count_tokens``: turnright, by an estimate, or the provider.

    A provider is asked where it speaks Anthropic's Messages API. Where it fails, the estimate counts.
    """

    instructions: Instruction | None = None
    """The operator's instructions for this entry's requests, after ``general_settings.instructions``. Default none."""
