"""Tests of the log lines about refused keys: one a minute for each deployment, without secrets."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from proxy.core.errors import CredentialsMissing, UpstreamFault
from proxy.core.failures import Evidence
from proxy.observability.key_refusals import LINE_S, KeyRefusals, RefusedKey
from proxy.resilience.failure_table import find_row
from proxy.resilience.read_error import read_error
from proxy.resilience.request_words import RequestWords
from proxy.upstream.known_secrets import KnownSecrets
from tests.proxy.config.samples import entry, load
from tests.proxy.conftest import LogLines

LOADED = load(
    entry("one", "openai/gpt-4.1", api_key="os.environ/KEY_ONE"),
    entry("two", "mistral/large", api_key="os.environ/KEY_TWO"),
    entry("*", "*"),
    environ={
        "KEY_ONE": "key-of-deployment-one",
        "KEY_TWO": "key-of-deployment-two",
        "GROQ_API_KEY": "gsk-000000000",
    },
).settings
ONE, TWO = LOADED.routes.exact["one"][0], LOADED.routes.exact["two"][0]
ANY = LOADED.routes.wildcards[""]


def refused(status: int, words: str = "No.", deployment: Any = ONE) -> RefusedKey:
    """Return a refusal by a provider, with its *words*."""
    fault = UpstreamFault(words, upstream_status=status)
    fault.reason = words
    said = read_error(status, Evidence(status), words=words, now=0)
    return RefusedKey(deployment, fault, find_row(fault.cause, said), said)


def without_credentials(package: str | None = None) -> RefusedKey:
    """Return the failure of an SDK that finds no credentials, or whose *package* is not installed."""
    fault = CredentialsMissing("NoCredentialsError: none", package=package)
    said = read_error(None, Evidence(), now=0)
    return RefusedKey(ONE, fault, find_row(fault.cause, said), said)


DENIED = "The caller does not have permission"
COUNTRY = "Country, region, or territory not supported"


@pytest.mark.parametrize(
    ("given", "event", "reason"),
    [
        (refused(401), "provider_key_refused", "No."),
        (refused(400, "API key not valid."), "provider_key_refused", "API key not valid."),
        (refused(403, DENIED), "provider_key_refused", DENIED),
        (
            refused(403, "Permission denied for this."),
            "provider_access_refused",
            "Permission denied for this.",
        ),
        (refused(403, "Not with key-of-deployment-one."), "provider_access_refused", "Not with ********."),
        (refused(403, COUNTRY), "provider_access_refused", COUNTRY),
        (without_credentials(), "credentials_missing", "NoCredentialsError: none"),
        (
            refused(401, "Both key-of-deployment-one and key-of-deployment-two"),
            "provider_key_refused",
            "Both ******** and ********",
        ),
        (refused(401, "x" * 900), "provider_key_refused", "x" * 300),
    ],
)
async def test_the_event_says_what_was_refused(
    log_lines: LogLines, given: RefusedKey, event: str, reason: str | None
) -> None:
    """The line has the provider's words without the proxy's keys.

    Its event distinguishes a refused key, refused access and missing credentials.
    """
    await KeyRefusals(KnownSecrets(LOADED)).note(given, "r-1", lambda: 0.0, 0)

    [line] = log_lines()
    assert (line["event"], line["reason"]) == (event, reason)
    assert (line["entry"], line["model"], line["provider"]) == ("model_list[0]", "one", "openai")
    assert (line["variables"], line["request_id"], line["refused"]) == ("KEY_ONE", "r-1", 1)


@pytest.mark.parametrize("status", [401, 403])
async def test_words_of_the_request_are_hidden_in_the_providers_words(
    log_lines: LogLines, status: int
) -> None:
    """A provider may quote the client in its error. The log holds no text of a client."""
    given = replace(
        refused(status, "Wrong key for: my SECRET-plan, 秘密."), request=RequestWords("tell my secret-plan")
    )
    await KeyRefusals(KnownSecrets(LOADED)).note(given, "r-1", lambda: 0.0, 0)

    [line] = log_lines()
    assert line["reason"] == "Wrong key for: my …-…, …."


async def test_missing_package_is_named_though_the_request_has_its_words(log_lines: LogLines) -> None:
    """The name of a package is turnright's own text, and the model's name may hold it."""
    given = replace(
        without_credentials(package="azure-identity"), request=RequestWords({"model": "azure/identity"})
    )
    await KeyRefusals(KnownSecrets(LOADED)).note(given, "r-1", lambda: 0.0, 0)

    [line] = log_lines()
    assert line["reason"] == "the package azure-identity is not installed"


@pytest.mark.parametrize("status", [400, 404, 429, 500])
async def test_other_failures_have_no_line(log_lines: LogLines, status: int) -> None:
    """Refusals that do not concern the key write no line."""
    await KeyRefusals(KnownSecrets(LOADED)).note(refused(status), "r-1", lambda: 0.0, 0)

    assert log_lines() == []


async def test_a_deployment_has_one_line_a_minute_with_the_number_of_refusals(log_lines: LogLines) -> None:
    """The line of another deployment is written at once."""
    refusals = KeyRefusals(KnownSecrets(LOADED))
    for now in (0.0, 1.0, LINE_S - 0.1, LINE_S, LINE_S + 1):
        await refusals.note(refused(401), "r-1", partial(float, now), 0)
    await refusals.note(refused(401, deployment=TWO), "r-2", lambda: 1.0, 0)

    assert [(line["model"], line["refused"]) for line in log_lines()] == [("one", 1), ("one", 3), ("two", 1)]


async def test_the_models_of_a_wildcard_share_a_line_for_each_key(log_lines: LogLines) -> None:
    """The models of a wildcard share the lines, since a client can name any number of models."""
    refusals = KeyRefusals(KnownSecrets(LOADED))
    for name in ("groq/a", "groq/b", "other/c", "other/d"):
        [deployment] = LOADED.routes.named(ANY, name)
        await refusals.note(refused(401, deployment=deployment), "r-1", lambda: 0.0, 0)

    assert [line["variables"] for line in log_lines()] == ["GROQ_API_KEY", None]
    assert len(refusals._lines) == 2
