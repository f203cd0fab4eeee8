"""Tests of missing credentials: the SDKs' own exceptions decide, and not litellm's class of error."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest

from proxy.upstream.litellm.credential_faults import find_missing_credentials

BOTOCORE: Any = import_module("botocore.exceptions")  # it has no types
NO_AWS = BOTOCORE.NoCredentialsError()


class AuthenticationError(Exception):
    """An exception with the name of litellm's class."""


class ProviderError(Exception):
    """An error of one of litellm's providers, with its status."""

    __module__ = "litellm.llms.watsonx.common_utils"

    def __init__(self, text: str, status_code: int) -> None:
        super().__init__(text)
        self.status_code = status_code


def google_error(name: str) -> Exception:
    """Return an error with the name and module of a google-auth error. The package is not installed here."""
    kind = type(name, (Exception,), {"__module__": "google.auth.exceptions"})
    found: Exception = kind("Your default credentials were not found.")
    return found


@pytest.mark.parametrize(
    ("chain", "reason"),
    [
        ([ValueError("x"), NO_AWS], "NoCredentialsError: Unable to locate credentials"),
        (
            [BOTOCORE.ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "AssumeRole")],
            "ClientError: An error occurred (AccessDenied) when calling the AssumeRole operation: no",
        ),
        (
            [ValueError("x"), google_error("DefaultCredentialsError")],
            "DefaultCredentialsError: Your default credentials were not found.",
        ),
        (
            [ValueError("x"), ModuleNotFoundError("No module named 'google'", name="google.auth")],
            "the package google-auth is not installed",
        ),
        (
            [ValueError("x"), ModuleNotFoundError("No module named 'azure'", name="azure")],
            "the package azure-identity is not installed",
        ),
        (
            [ImportError("boto3 needed", name="boto3")],
            "the package boto3 is not installed",
        ),
        (
            [ValueError("Missing credentials. Pass one.\nTraceback")],
            "ValueError: Missing credentials. Pass one.",
        ),
        ([ValueError("Could not resolve project_id")], "ValueError: Could not resolve project_id"),
        ([ValueError("x"), ProviderError("No project.", 401)], "ProviderError: No project."),
        ([AuthenticationError("No key.")], "AuthenticationError: No key."),
    ],
    ids=repr,
)
def test_missing_credentials_are_found_with_their_reason(chain: list[BaseException], reason: str) -> None:
    """The reason is the first line of the innermost cause, or the package that is not installed."""
    found = find_missing_credentials(chain, ())

    assert found is not None
    assert found.reason == reason
    assert reason not in found.message


@pytest.mark.parametrize(
    "chain",
    [
        [ValueError("messages")],
        [ValueError("the text 'missing credentials' of a client")],
        [
            AuthenticationError("litellm took a client's words for it"),
            ValueError("Unable to locate credentials"),
        ],
        [ModuleNotFoundError("No module named 'PIL'", name="PIL")],
        [ProviderError("The model said no.", 400)],
        [BOTOCORE.EndpointConnectionError(endpoint_url="http://sts")],
        [google_error("TransportError")],
    ],
    ids=repr,
)
def test_other_failures_are_not_taken_for_missing_credentials(chain: list[BaseException]) -> None:
    """A client that causes such a failure by its words or an image must not open a deployment's circuit."""
    for outer, inner in pairwise(chain):
        outer.__cause__ = inner

    assert find_missing_credentials(chain, ()) is None


def test_reason_holds_no_secret_and_is_short() -> None:
    """Reasons are masked and cut, since the SDKs may quote their arguments."""
    long = find_missing_credentials([ValueError("Missing credentials " + "x" * 9_000)], ())
    masked = find_missing_credentials(
        [ValueError("Missing credentials in key-of-ours-1")], ("key-of-ours-1",)
    )

    assert long is not None
    assert len(long.reason) == 300
    assert masked is not None
    assert masked.reason == "ValueError: Missing credentials in ********"
