"""Providers whose SDK finds credentials by itself, and the places where it looks.

Bedrock, SageMaker and Vertex AI need no key in the configuration. Without credentials in one of these places, every
request to them fails.

Sources: boto3's guide "Credentials", and "How Application Default Credentials works" of Google Cloud (November 2026).
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
"""Each of these variables is enough on its own. A key needs two, its id and its secret."""

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

    Only providers in :data:`SDK_PROVIDERS` are looked at. The role of a machine (EC2, GCE) cannot be seen from here.
    """
    if any(name.lower() == "authorization" for name in deployment.extra_headers):
        return None
    if deployment.provider in AWS_PROVIDERS:
        return None if _has_aws(deployment, around) else _NO_AWS
    if deployment.provider in GOOGLE_PROVIDERS:
        return _missing_google(deployment, around)
    return None


def _has_aws(deployment: Deployment, around: Surroundings) -> bool:
    held, environ = deployment.credentials, around.environ
    if deployment.api_key is not None or environ.get("AWS_BEARER_TOKEN_BEDROCK"):  # an API key of Bedrock
        return True
    if {"aws_access_key_id", "aws_secret_access_key"} <= held.keys() or "aws_web_identity_token" in held:
        return True
    if environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY"):
        return True
    files = (
        environ.get("AWS_SHARED_CREDENTIALS_FILE") or f"{around.home}/.aws/credentials",
        environ.get("AWS_CONFIG_FILE") or f"{around.home}/.aws/config",
    )
    return any(environ.get(name) for name in _AWS_VARIABLES) or any(map(around.is_file, files))


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
