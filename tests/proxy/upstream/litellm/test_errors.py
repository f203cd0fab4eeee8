"""Tests that litellm's exceptions become the proxy's errors by their causes, and not by litellm's class."""

from __future__ import annotations

import json
from importlib import import_module
from itertools import pairwise
from typing import Any

import aiohttp
import httpx
import pytest

from proxy.core.errors import (
    ConversionFailed,
    CredentialsMissing,
    ProxyError,
    UpstreamFault,
    UpstreamTimeout,
    UpstreamUnreachable,
)
from proxy.core.failures import Cause
from proxy.upstream.litellm.clients import ERROR_BODY
from proxy.upstream.litellm.errors import kept_body, to_proxy_error

BOTOCORE: Any = import_module("botocore.exceptions")  # it has no types
REQUEST = httpx.Request("POST", "http://provider.internal/v1")


class OpenAIError(Exception):
    """Has the name of a class of OpenAI's SDK."""


class AuthenticationError(Exception):
    """Has the name of a class of OpenAI's SDK."""


def chained(*errors: BaseException) -> BaseException:
    """Return the first of *errors*, caused by the second, and so on."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


def answered(status: int, body: bytes, **extensions: bytes) -> httpx.HTTPStatusError:
    """Return httpx's error for an answer with *status* and *body*."""
    answer = httpx.Response(status, content=body, request=REQUEST, extensions=dict(extensions))
    return httpx.HTTPStatusError("x", request=REQUEST, response=answer)


def reading_failed() -> BaseException:
    """Return an error raised in a function that has the name of one of litellm's readers."""

    def transform_response() -> None:
        raise KeyError("choices")

    try:
        transform_response()
    except KeyError as error:
        return error
    raise AssertionError


def connecting_failed() -> aiohttp.ClientConnectorError:
    """Return aiohttp's error for a connection that is refused."""
    return aiohttp.ClientConnectorError(None, OSError("refused"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "kind", "cause"),
    [
        (chained(ValueError(), TimeoutError()), UpstreamTimeout, None),
        (chained(ValueError(), httpx.ReadTimeout("x")), UpstreamTimeout, None),
        (chained(ValueError(), httpx.ConnectError("x")), UpstreamUnreachable, Cause.UNREACHABLE),
        (chained(ValueError(), httpx.ReadError("x")), UpstreamUnreachable, Cause.CONNECTION_LOST),
        (
            chained(ValueError(), httpx.ConnectError("x"), aiohttp.ServerDisconnectedError()),
            UpstreamUnreachable,
            Cause.CONNECTION_LOST,
        ),
        (
            chained(ValueError(), httpx.ConnectError("x"), connecting_failed()),
            UpstreamUnreachable,
            Cause.UNREACHABLE,
        ),
        (BOTOCORE.EndpointConnectionError(endpoint_url="http://sts"), UpstreamUnreachable, Cause.UNREACHABLE),
        (AuthenticationError(), CredentialsMissing, Cause.NO_CREDENTIALS),
        (chained(ValueError(), OpenAIError()), UpstreamFault, None),
        (reading_failed(), UpstreamFault, None),
        (ValueError("messages"), ConversionFailed, None),
    ],
    ids=repr,
)
def test_causes_decide_the_kind_of_error(
    error: BaseException, kind: type[ProxyError], cause: Cause | None
) -> None:
    """A failure while an answer is read is the provider's fault."""
    found = to_proxy_error(error, secrets=())

    assert type(found) is kind
    if cause is not None:
        assert getattr(found, "cause", None) is cause


def test_an_http_answer_keeps_its_status_and_its_masked_message() -> None:
    """The HTTP answer's status and masked message are used, whatever the class of litellm's own error."""
    body = json.dumps({"error": {"message": "No quota for sk-secret-of-ours."}}).encode()
    found = to_proxy_error(chained(ConnectionError(), answered(429, body)), secrets=("sk-secret-of-ours",))

    assert isinstance(found, UpstreamFault)
    assert (found.upstream_status, found.message) == (429, "No quota for ********.")


def test_the_kept_body_counts_before_the_one_that_litellm_got() -> None:
    """The kept body counts first, since litellm gets nothing of a large body."""
    kept = json.dumps({"error": {"message": "Kept."}}).encode()
    error = answered(400, b"", **{ERROR_BODY: kept})

    assert kept_body(chained(ValueError(), error)) == kept
    assert to_proxy_error(chained(ValueError(), error), secrets=()).message == "Kept."
    assert kept_body(answered(400, b"{}")) is None


def test_no_text_of_a_local_failure_reaches_the_client() -> None:
    """The text of a local failure may hold paths, addresses and parts of the history."""
    for error in (ValueError("/srv/secret"), reading_failed(), OpenAIError("/srv/secret")):
        assert "secret" not in to_proxy_error(error, secrets=()).message
        assert "choices" not in to_proxy_error(error, secrets=()).message


def test_errors_that_cause_each_other_are_read_once() -> None:
    """A circle in the chain of causes does not keep the reader in a loop."""
    first, second = ValueError(), KeyError()
    first.__cause__, second.__cause__ = second, first

    assert isinstance(to_proxy_error(first, secrets=()), ConversionFailed)
