"""``model_list``: the names that clients send, and the deployments behind them.

The shape is the LiteLLM proxy's, so that its users can bring their file. Unknown keys that would change the routing
or the authentication of a call are refused, never ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from proxy.config.faults import refusal
from proxy.config.reserved_params import is_reserved
from proxy.config.schema.section import Section
from proxy.config.values import (
    BaseUrl,
    Count,
    DocumentSecret,
    HeaderName,
    HeaderSecret,
    KeySecret,
    OptionalKey,
    Seconds,
    Text,
    VersionText,
    empty_section,
    from_environment,
)
from sanitizers.profile_names import PROFILES

# litellm takes these without a provider (`get_llm_provider`, 1.105.3); gpt-oss is open weights, served by others.
_OPENAI_NAME = re.compile(
    r"(gpt-(?!oss)|chatgpt-|o[1-9](-|$)|text-embedding-|codex-|computer-use-|ft:gpt-|davinci-002$|babbage-002$)"
)
_PROVIDER_OF = {
    "claude": "anthropic",
    "gemini": "gemini",
    "mistral": "mistral",
    "codestral": "mistral",
    "deepseek": "deepseek",
    "command": "cohere",
    "grok": "xai",
}
_WILDCARD = re.compile(r"[^/*]+/[^*]*\*")


def _wildcard_shape(text: str) -> str:
    if "*" in text and not _WILDCARD.fullmatch(text):
        raise refusal("a wildcard is provider/*, with one * at the end")
    return text


def _provider_and_model(text: str) -> str:
    provider, slash, rest = text.partition("/")
    if slash:
        if not provider or not rest:
            raise refusal("must be provider/model, as in gemini/gemini-2.5-flash")
        return text
    if _OPENAI_NAME.match(text):
        return text
    for start, name in _PROVIDER_OF.items():
        if text.startswith(start):
            raise refusal(f"must be provider/model; write {name}/ before the model's name")
    raise refusal("must be provider/model, as in gemini/gemini-2.5-flash")


def _known_profile(text: str) -> str:
    if text not in PROFILES:
        raise refusal(f"must be one of {', '.join(PROFILES)}")
    return text


class LitellmParams(Section):
    """The call's address, key and options for one deployment."""

    where: ClassVar[str] = "model_list[].litellm_params"

    model: Annotated[
        Text, Field(max_length=256), AfterValidator(_wildcard_shape), AfterValidator(_provider_and_model)
    ]
    """``provider/model`` in litellm's spelling, or a bare OpenAI name (``gpt-4o``). Required."""

    api_key: OptionalKey = None
    """The provider's key. Without one no key is sent, or a placeholder where litellm insists on one.

    A key in the environment is used only where the file names it (``os.environ/NAME``), or where there is no file.
    """

    api_base: BaseUrl | None = None
    """The provider's address, where it is not the usual one: an http(s) URL without credentials or query."""

    timeout: Seconds | None = None
    """Seconds for one attempt on this deployment. Default and upper limit: ``router_settings.timeout``."""

    allowed_openai_params: tuple[Text, ...] = ()
    """Request parameters beyond the known ones that are passed on.

    Default none: unknown parameters are dropped and counted. Names that would control the call itself (an address, a
    key, a header) are refused.
    """

    api_version: VersionText | None = None
    """Azure's API version, such as ``2024-06-01``."""

    organization: Text | None = None
    """OpenAI's organization id."""

    aws_access_key_id: KeySecret | None = None
    """Bedrock: the key's id. Without it, the SDK's usual credential chain decides."""

    aws_secret_access_key: KeySecret | None = None
    """Bedrock: the key."""

    aws_session_token: KeySecret | None = None
    """Bedrock: the token of temporary credentials."""

    aws_region_name: Text | None = None
    """Bedrock: the region, such as ``eu-central-1``."""

    vertex_project: Text | None = None
    """Vertex AI: the project's id."""

    vertex_location: Text | None = None
    """Vertex AI: the location, such as ``europe-west4``."""

    vertex_credentials: DocumentSecret | None = None
    """Vertex AI: a service account's JSON, or the path of its file."""

    extra_headers: Mapping[HeaderName, HeaderSecret] = Field(default_factory=dict)
    """Headers that are sent to the provider with each call. Their values are treated as secrets."""

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
    """Facts about a model that override the catalogue's."""

    where: ClassVar[str] = "model_list[].model_info"

    max_input_tokens: Count | None = None
    """Tokens that the model accepts. Default: the catalogue's, or unknown."""

    max_output_tokens: Count | None = None
    """Tokens that the model writes at most, the upper limit of the output reserve. Default: the catalogue's."""


class ModelEntry(Section):
    """One deployment under a name. Entries with the same name are one pool."""

    where: ClassVar[str] = "model_list[]"

    model_name: Annotated[Text, Field(max_length=200), AfterValidator(_wildcard_shape)]
    """The name that clients send, or a wildcard such as ``gemini/*`` (then the same as ``model``). Required."""

    litellm_params: LitellmParams
    """The call's address, key and options. Required."""

    model_info: Annotated[ModelInfo, BeforeValidator(empty_section)] = Field(default_factory=ModelInfo)
    """Overrides of the catalogue's facts. Default: none."""

    transport: Annotated[Literal["auto", "litellm", "direct"], BeforeValidator(from_environment)] = "auto"
    """``litellm``, or ``direct`` for the provider's own wire.

    ``auto`` (default) takes ``direct`` for ``openai/`` and ``gemini/``, and ``litellm`` for all others. ``direct`` is
    refused where it does not speak the provider's wire.
    """

    profile: Annotated[Text, AfterValidator(_known_profile)] | None = None
    """The profile whose rules histories must follow, by the name that ``turnright check`` prints.

    Default: by the model's name and route. Set it for a server behind ``openai/`` whose model has other rules.
    """
