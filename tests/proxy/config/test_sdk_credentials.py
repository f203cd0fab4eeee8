"""Tests of where the SDKs of AWS and Google find credentials."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config import resolve
from proxy.config.sdk_credentials import Surroundings, missing_credentials
from tests.proxy.config.samples import entry, settings_of

HOME = "/home/operator"
BEDROCK = "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0"
VERTEX = "vertex_ai/gemini-2.5-pro"
GCLOUD = "application_default_credentials.json"


def missing(
    model: str, params: dict[str, Any], environ: dict[str, str], *files: str, installed: bool = True
) -> str | None:
    """Return the reason for missing credentials, where only *environ* and *files* exist."""
    [deployment] = resolve(settings_of(entry("m", model, **params)), "m")
    around = Surroundings(environ, HOME, is_file=files.__contains__, has_module=lambda _: installed)
    return missing_credentials(deployment, around)


@pytest.mark.parametrize("model", [BEDROCK, "sagemaker/endpoint", "sagemaker_chat/endpoint"])
@pytest.mark.parametrize(
    ("params", "environ", "files"),
    [
        ({"aws_access_key_id": "AKIA", "aws_secret_access_key": "s"}, {}, ()),
        ({"api_key": "k"}, {}, ()),
        ({"extra_headers": {"Authorization": "Bearer k"}}, {}, ()),
        ({"aws_web_identity_token": "t", "aws_role_name": "r"}, {}, ()),
        ({}, {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s"}, ()),
        ({}, {"AWS_PROFILE": "p"}, ()),
        ({}, {"AWS_WEB_IDENTITY_TOKEN_FILE": "/t"}, ()),
        ({}, {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://h"}, ()),
        ({}, {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/h"}, ()),
        ({}, {"AWS_BEARER_TOKEN_BEDROCK": "k"}, ()),
        ({}, {}, (f"{HOME}/.aws/credentials",)),
        ({}, {}, (f"{HOME}/.aws/config",)),
        ({"aws_profile_name": "p"}, {"AWS_CONFIG_FILE": "/etc/aws"}, ("/etc/aws",)),
    ],
)
def test_aws_has_credentials_in_each_of_its_places(
    model: str, params: dict[str, Any], environ: dict[str, str], files: tuple[str, ...]
) -> None:
    """AWS credentials are found in each place where the SDK looks."""
    assert missing(model, params, environ, *files) is None


@pytest.mark.parametrize(
    ("params", "environ"),
    [
        ({}, {}),
        ({}, {"AWS_PROFILE": ""}),
        ({}, {"AWS_ACCESS_KEY_ID": "AKIA"}),
        ({"aws_access_key_id": "AKIA"}, {}),
        ({"aws_region_name": "eu-central-1"}, {"AWS_REGION": "eu-central-1"}),
    ],
)
def test_aws_without_credentials_is_told(params: dict[str, Any], environ: dict[str, str]) -> None:
    """AWS credentials are missing where there are none, or only one half of a key."""
    assert (missing(BEDROCK, params, environ) or "").startswith("no AWS credentials are found")


@pytest.mark.parametrize(
    "environ", [{}, {"AWS_ACCESS_KEY_ID": "AKIA", "AWS_SECRET_ACCESS_KEY": "s"}, {"AWS_PROFILE": "q"}]
)
def test_profile_without_a_file_of_profiles_is_told(environ: dict[str, str]) -> None:
    """A named profile without a file of profiles is reported, even if the environment has other credentials."""
    found = missing(BEDROCK, {"aws_profile_name": "p"}, environ)

    assert found == (
        f"aws_profile_name names a profile, and there is neither {HOME}/.aws/credentials nor {HOME}/.aws/config"
    )


AZURE = "azure/gpt-4o"
PRINCIPAL = {"tenant_id": "t", "client_id": "c", "client_secret": "s"}
PASSWORD = {"azure_username": "u", "azure_password": "p", "client_id": "c"}
NO_PACKAGE = "the package azure-identity is not installed, and without it there is no token for {}"


@pytest.mark.parametrize(
    ("params", "environ", "installed", "reason"),
    [
        ({"api_key": "k"}, {}, False, None),
        ({"azure_ad_token": "t"}, {}, False, None),
        ({"extra_headers": {"api-key": "k"}}, {}, False, None),
        (PRINCIPAL, {}, True, None),
        (PASSWORD, {}, True, None),
        ({"client_secret": "s"}, {"AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c"}, True, None),
        (PRINCIPAL | {"api_key": "k"}, {}, False, None),
        (PRINCIPAL, {}, False, NO_PACKAGE.format("client_secret")),
        (PRINCIPAL | {"azure_ad_token": "t"}, {}, False, NO_PACKAGE.format("client_secret")),
        (PASSWORD, {}, False, NO_PACKAGE.format("azure_password")),
        ({"client_secret": "s"}, {}, True, "client_secret needs tenant_id and client_id beside it"),
        ({"client_secret": "s", "client_id": "c"}, {}, True, "client_secret needs tenant_id beside it"),
        ({"azure_password": "p"}, {}, True, "azure_password needs azure_username and client_id beside it"),
        ({}, {"AZURE_API_KEY": "k"}, True, "no Azure credentials are given: "),
        ({"tenant_id": "t", "client_id": "c"}, {}, True, "no Azure credentials are given: "),
    ],
)
def test_azure_needs_a_key_a_token_or_the_package_that_gets_one(
    params: dict[str, Any], environ: dict[str, str], installed: bool, reason: str | None
) -> None:
    """Azure takes a key or a token. The package azure-identity gets a token for a secret or a password."""
    found = missing(AZURE, params, environ, installed=installed)

    assert found is None if reason is None else (found or "").startswith(reason)


@pytest.mark.parametrize(
    ("params", "environ", "files", "reason"),
    [
        ({}, {}, (), "no Google credentials are found"),
        ({"vertex_credentials": "/sa.json"}, {}, (), "vertex_credentials names a file that is not there"),
        ({"vertex_credentials": "/sa.json"}, {}, ("/sa.json",), None),
        ({"vertex_credentials": '{"type": "service_account"}'}, {}, (), None),
        ({}, {"GOOGLE_APPLICATION_CREDENTIALS": "/sa.json"}, ("/sa.json",), None),
        ({}, {}, (f"{HOME}/.config/gcloud/{GCLOUD}",), None),
        ({}, {"CLOUDSDK_CONFIG": "/cloud"}, (f"/cloud/{GCLOUD}",), None),
        ({}, {"CLOUDSDK_CONFIG": "/cloud"}, (f"{HOME}/.config/gcloud/{GCLOUD}",), "no Google credentials"),
    ],
)
def test_google_finds_credentials_in_the_entry_the_environment_or_the_file_of_gcloud(
    params: dict[str, Any], environ: dict[str, str], files: tuple[str, ...], reason: str | None
) -> None:
    """Google credentials are found in the entry, in the environment or in gcloud's file, if the named file exists."""
    found = missing(VERTEX, params, environ, *files)

    assert found is None if reason is None else (found or "").startswith(reason)


def test_missing_package_of_google_is_told_first() -> None:
    """The missing package google-auth is reported before missing credentials."""
    found = missing(VERTEX, {"vertex_credentials": "{}"}, {}, installed=False)

    assert found is not None
    assert "google-auth is not installed" in found


def test_other_providers_are_not_looked_at() -> None:
    """Other providers' credentials are not searched for."""
    assert missing("openai/gpt-4.1", {}, {}) is None
