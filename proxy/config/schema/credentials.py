"""The address and credentials of a deployment, from its own entry or from one in ``credential_list``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    SecretStr,
    model_validator,
)
from typing_extensions import override

from proxy.config.faults import refusal
from proxy.config.json_values import JsonMapping, SecretDocument
from proxy.config.references import variable_of
from proxy.config.schema.section import Section
from proxy.config.values import (
    BaseUrl,
    DocumentSecret,
    KeySecret,
    ProviderKey,
    Text,
    VersionText,
    empty_section,
)


def _one_organization(value: Any) -> Any:
    if isinstance(value, list):
        raise refusal(
            "must be one id: write an entry for each of several organizations, under the same model_name"
        )
    return value


class Credentials(Section):
    """The address and the credentials of a provider. Every field is optional and has litellm's name."""

    where: ClassVar[str] = "credential_list[].credential_values"

    api_key: ProviderKey = None
    """The provider's key. Without one, or with an empty one, no key is sent.

    Where litellm insists on a key, a placeholder is sent instead. A key in the environment is used where the file names
    its variable (``os.environ/NAME`` or ``${NAME}``), or where there is no file. The model ``*`` without a key and an
    address uses the environment's keys too.
    """

    api_base: BaseUrl | None = None
    """The provider's address, where it is not the usual one: an http(s) URL without credentials or query.

    Without one, the variable that litellm reads for the provider counts, such as ``GROQ_API_BASE``. ``openai/`` and
    ``gemini/`` read none.
    """

    base_url: BaseUrl | None = None
    """Another name of ``api_base``."""

    api_version: VersionText | None = None
    """Azure's API version, such as ``2024-06-01``."""

    organization: Annotated[Text, BeforeValidator(_one_organization)] | None = None
    """OpenAI's organization id."""

    region_name: Text | None = None
    """The region of a provider that has regions.

    ``aws_region_name`` and ``vertex_location`` take precedence over it.
    """

    azure_ad_token: KeySecret | None = None
    """Azure: a token of Entra ID, in place of a key."""

    azure_scope: Text | None = None
    """Azure: the scope of tokens."""

    azure_username: Text | None = None
    """Azure: the user's name, for a token."""

    azure_password: DocumentSecret | None = None
    """Azure: the user's password, for a token."""

    tenant_id: Text | None = None
    """Azure: the tenant, for a service principal."""

    client_id: Text | None = None
    """Azure: the service principal's id."""

    client_secret: DocumentSecret | None = None
    """Azure: the service principal's secret."""

    aws_access_key_id: KeySecret | None = None
    """Bedrock: the key's id. Without it, the SDK's usual credential chain decides."""

    aws_secret_access_key: KeySecret | None = None
    """Bedrock: the key."""

    aws_session_token: KeySecret | None = None
    """Bedrock: the token of temporary credentials."""

    aws_region_name: Text | None = None
    """Bedrock: the region, such as ``eu-central-1``."""

    aws_profile_name: Text | None = None
    """Bedrock: a profile of the SDK's own files."""

    aws_role_name: Text | None = None
    """Bedrock: the ARN of a role that is assumed."""

    aws_session_name: Text | None = None
    """Bedrock: the name of the assumed role's session."""

    aws_external_id: Text | None = None
    """Bedrock: the external id that the role asks for."""

    aws_web_identity_token: DocumentSecret | None = None
    """Bedrock: a token, or the path of its file, with which the role is assumed."""

    aws_sts_endpoint: BaseUrl | None = None
    """Bedrock: the address that hands out a role's credentials."""

    aws_bedrock_runtime_endpoint: BaseUrl | None = None
    """Bedrock: the address of its runtime, where it is not the region's usual one."""

    vertex_project: Text | None = None
    """Vertex AI: the project's id."""

    vertex_location: Text | None = None
    """Vertex AI: the location, such as ``europe-west4``."""

    vertex_credentials: SecretDocument | None = None
    """Vertex AI: a service account, as a mapping or as JSON text, or the path of its file."""

    vertex_ai_project: Text | None = None
    """Another name of ``vertex_project``."""

    vertex_ai_location: Text | None = None
    """Another name of ``vertex_location``."""

    vertex_ai_credentials: SecretDocument | None = None
    """Another name of ``vertex_credentials``."""

    watsonx_region_name: Text | None = None
    """watsonx: the region."""

    _variables: tuple[str, ...] = PrivateAttr(default=())

    @override
    @classmethod
    def is_left_out(cls, name: object, value: object) -> bool:
        """Return True for an empty text in one of these fields, too.

        Templates of files often write an empty text for a missing value.
        """
        is_empty = isinstance(value, str) and not value.strip() and name in Credentials.model_fields
        return is_empty or super().is_left_out(name, value)

    @model_validator(mode="wrap")
    @classmethod
    def _note_variables(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        section = handler(data)
        if isinstance(data, Mapping):
            section._variables = tuple(dict.fromkeys(_variables_in(section, data)))
        return section

    @property
    def variables(self) -> tuple[str, ...]:
        """The environment variables that the key and the other secrets were read from, the key's first."""
        return self._variables


ARGUMENTS = tuple(
    name for name in Credentials.model_fields if name not in ("api_key", "api_base", "base_url")
)
"""The fields that go to litellm as arguments of the same names."""

SECRETS = tuple(
    name for name, field in Credentials.model_fields.items() if "SecretStr" in str(field.annotation)
)
"""The fields that hold a key, a password or a token."""


def _variables_in(section: Credentials, data: Mapping[Any, Any]) -> Iterator[str]:
    """Yield the variables that *data*, the mapping that *section* was read from, names for the section's secrets.

    The variable of an empty ``api_key`` counts too: it is the reason why there is no key.
    """
    given = sorted(section, key=lambda field: field[0] != "api_key")
    for name, value in given:
        if name == "api_key" or isinstance(value, SecretStr):
            written = [data.get(name)]
        elif isinstance(value, Mapping):
            written = [data[name][key] for key, held in value.items() if isinstance(held, SecretStr)]
        else:
            continue
        for text in written:
            variable = variable_of(text) if isinstance(text, str) else None
            if variable is not None:
                yield variable


class CredentialEntry(Section):
    """Credentials with a name, for entries of ``model_list`` that name them in ``litellm_credential_name``."""

    where: ClassVar[str] = "credential_list[]"

    credential_name: Text
    """The name. Required."""

    credential_values: Annotated[Credentials, BeforeValidator(empty_section)] = Field(
        default_factory=Credentials
    )
    """The address and the credentials. A value in the entry of ``model_list`` takes precedence."""

    credential_info: JsonMapping | None = None
    """Facts for readers of the file. They are not used."""
