"""Providers whose SDK finds credentials or gets a token, and the places where it looks.

Bedrock, SageMaker and Vertex AI need no key in the configuration. Azure takes a secret or a password in place of a key.
Without any credentials, every request to such a provider fails.

Sources: boto3's guide "Credentials", and "How Application Default Credentials works" of Google Cloud (November 2026).
For Azure, litellm's `llms/azure/common_utils.py` (1.105.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import SecretStr

from proxy.core.deployment import Deployment

AWS_PROVIDERS = frozenset({"bedrock", "sagemaker", "sagemaker_chat", "sagemaker_nova"})
GOOGLE_PROVIDERS = frozenset({"vertex_ai", "vertex_ai_beta"})
SDK_PROVIDERS = AWS_PROVIDERS | GOOGLE_PROVIDERS
"""litellm's names of the providers whose SDK finds the credentials."""

_AWS_VARIABLES = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
"""Each of these variables alone tells the SDK where credentials are.

A key needs two variables, for its id and its secret.
"""

_GOOGLE_VARIABLES = ("VERTEXAI_CREDENTIALS", "VERTEX_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The places outside the configuration where an SDK looks for credentials."""

    environ: Mapping[str, str]
    home: str
    """The home directory, without a slash at its end."""

    is_file: Callable[[str], bool]
    has_module: Callable[[str], bool]
    """Tells whether a Python module is installed, without importing it."""


def missing_credentials(deployment: Deployment, around: Surroundings) -> str | None:
    """Return the reason why *deployment* will have no credentials, or None where it may have some.

    Only Azure and providers in :data:`SDK_PROVIDERS` are looked at. The role of a machine (EC2, GCE) cannot be seen
    from here.
    """
    if any(name.lower() == "authorization" for name in deployment.extra_headers):
        return None
    if deployment.provider in AWS_PROVIDERS:
        return _missing_aws(deployment, around)
    if deployment.provider in GOOGLE_PROVIDERS:
        return _missing_google(deployment, around)
    return _missing_azure(deployment, around) if deployment.provider == "azure" else None


def _missing_aws(deployment: Deployment, around: Surroundings) -> str | None:
    held, environ = deployment.credentials, around.environ
    if deployment.api_key is not None or environ.get("AWS_BEARER_TOKEN_BEDROCK"):  # an API key of Bedrock
        return None
    if {"aws_access_key_id", "aws_secret_access_key"} <= held.keys() or "aws_web_identity_token" in held:
        return None
    files = (
        environ.get("AWS_SHARED_CREDENTIALS_FILE") or f"{around.home}/.aws/credentials",
        environ.get("AWS_CONFIG_FILE") or f"{around.home}/.aws/config",
    )
    if any(map(around.is_file, files)):
        return None
    if "aws_profile_name" in held:
        return f"aws_profile_name names a profile, and there is neither {files[0]} nor {files[1]}"
    has_key = environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY")
    return None if has_key or any(environ.get(name) for name in _AWS_VARIABLES) else _NO_AWS


_NO_AWS = (
    "no AWS credentials are found: give aws_access_key_id and aws_secret_access_key (or aws_profile_name), or set "
    "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or AWS_WEB_IDENTITY_TOKEN_FILE; a role of the machine "
    "itself cannot be seen from here"
)


def _missing_google(deployment: Deployment, around: Surroundings) -> str | None:
    if not around.has_module("google.auth"):
        return "the package google-auth is not installed, without which there are no Google credentials"
    given = deployment.credentials.get("vertex_credentials")
    text = given.get_secret_value() if isinstance(given, SecretStr) else given
    if text is not None:
        is_path = not text.lstrip().startswith("{")
        return (
            "vertex_credentials names a file that is not there"
            if is_path and not around.is_file(text)
            else None
        )
    folder = around.environ.get("CLOUDSDK_CONFIG") or f"{around.home}/.config/gcloud"
    found = any(around.environ.get(name) for name in _GOOGLE_VARIABLES)
    return None if found or around.is_file(f"{folder}/application_default_credentials.json") else _NO_GOOGLE


_NO_GOOGLE = (
    "no Google credentials are found: give vertex_credentials, set GOOGLE_APPLICATION_CREDENTIALS, or run "
    "`gcloud auth application-default login`; a service account of the machine itself cannot be seen from here"
)


def _missing_azure(deployment: Deployment, around: Surroundings) -> str | None:
    if deployment.api_key is not None or any(name.lower() == "api-key" for name in deployment.extra_headers):
        return None
    for secret, beside in _AZURE_SECRETS.items():
        if secret not in deployment.credentials:
            continue
        absent = [
            name
            for name, variable in beside.items()
            if name not in deployment.credentials and not around.environ.get(variable)
        ]
        if absent:
            return f"{secret} needs {' and '.join(absent)} beside it"
        if not around.has_module("azure.identity"):
            return (
                f"the package azure-identity is not installed, and without it there is no token for {secret}: install "
                "it, or give api_key or azure_ad_token"
            )
        return None
    return None if "azure_ad_token" in deployment.credentials else _NO_AZURE


_AZURE_SECRETS = {
    "client_secret": {"tenant_id": "AZURE_TENANT_ID", "client_id": "AZURE_CLIENT_ID"},
    "azure_password": {"azure_username": "AZURE_USERNAME", "client_id": "AZURE_CLIENT_ID"},
}
"""Secrets for which litellm gets a token. A secret maps the other values that litellm needs to their variables."""

_NO_AZURE = (
    "no Azure credentials are given: give api_key, azure_ad_token, or client_secret with the tenant_id and client_id "
    "that it needs"
)
