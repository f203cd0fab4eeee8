"""Tests of failing credentials: the client learns whose key failed, and the log names the reason and the variable."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from proxy.config import Settings, load_settings
from proxy.upstream.select_transport import SelectingUpstream
from tests.proxy.conftest import TRANSPORTS, LogLines
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.bedrock_emulator import BEDROCK
from tests.support.emulated import serving
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import GEMINI, Reply, chat, proxied

pytestmark = LITELLM_NOISE

KEY = "sk-of-the-operator-5d0f7c1e"
ENVIRON = {"TEAM_KEY": KEY}
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
EVENTS = ("provider_key_refused", "provider_access_refused", "credentials_missing")


def settings_with(models: Mapping[str, Any], transport: str = "auto", **sections: Any) -> Settings:
    """Return settings for *models*, with environment variables read from :data:`ENVIRON`.

    *models* maps each model's name to its parameters, or to a list of them.
    """
    entries = [
        {"model_name": name, "litellm_params": params, "transport": transport}
        for name, given in models.items()
        for params in (given if isinstance(given, list) else [given])
    ]
    router = {"num_retries": 0, **sections.pop("router_settings", {})}
    text = json.dumps({"model_list": entries, "router_settings": router, **sections})
    return load_settings(text.encode(), ENVIRON).settings


def openai_entry(openai: OpenAIEmulator) -> dict[str, Any]:
    """Return a model's parameters, with a key that is read from an environment variable."""
    return {"model": "openai/gpt-4.1", "api_base": openai.base_url, "api_key": "os.environ/TEAM_KEY"}


def told(log_lines: LogLines) -> list[dict[str, Any]]:
    """Return the log lines about keys and credentials."""
    return [line for line in log_lines() if line["event"] in EVENTS]


def assert_masked(reply: Reply, lines: list[dict[str, Any]]) -> None:
    """Check that the key is in neither the answer nor the log, and the variable's name not in the answer."""
    assert KEY not in f"{reply.raw.decode()} {dict(reply.headers)} {lines}"
    assert "TEAM_KEY" not in f"{reply.raw.decode()} {dict(reply.headers)}"


@TRANSPORTS
@BOTH
@pytest.mark.parametrize(
    ("status", "words", "code", "seen"),
    [
        (401, f"Incorrect API key provided: {KEY}.", "invalid_api_key", 401),
        (400, f"Incorrect API key provided: {KEY}.", None, 401),
        (403, f"The API key {KEY} has no access.", None, 403),
        (500, f"Incorrect API key provided: {KEY}.", "401", 401),
    ],
)
async def test_refused_key_is_told_to_the_client_and_its_variable_to_the_log(
    openai: OpenAIEmulator,
    log_lines: LogLines,
    transport: str,
    stream: bool,
    status: int,
    words: str,
    code: str | None,
    seen: int,
) -> None:
    """A refused key is recognized even in a 400, or in a gateway's 500 that names the provider's 401."""
    openai.faults.append({"status": status, "message": words, "code": code})
    settings = settings_with({"m": openai_entry(openai)}, transport)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model="m", stream=stream), headers={"x-request-id": "mine"})

    [line] = told(log_lines)
    assert (reply.status, reply.headers["x-should-retry"]) == (seen, "false")
    assert reply.error["message"] == (
        f"The provider refused the proxy's key (status {seen}); it is not your key that was refused."
    )
    assert (line["event"], line["level"]) == ("provider_key_refused", "warning")
    assert (line["entry"], line["model"], line["provider"]) == ("model_list[0]", "m", "openai")
    assert (line["variables"], line["request_id"], line["refused"]) == ("TEAM_KEY", "mine", 1)
    assert line["reason"] == words.replace(KEY, "********")
    assert_masked(reply, told(log_lines))


@TRANSPORTS
@BOTH
async def test_key_that_gemini_refuses_is_no_mistake_of_the_client(
    gemini: GeminiEmulator, log_lines: LogLines, transport: str, stream: bool
) -> None:
    """Gemini answers a refused key with status 400, and the client gets a 401."""
    await gemini.fault(status=400, message="API key not valid. Please pass a valid API key.")
    entry = {"model": GEMINI, "api_base": f"{gemini.base}/v1beta", "api_key": "${TEAM_KEY}"}
    settings = settings_with({"m": entry}, transport)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        reply = await proxy.post(chat(model="m", stream=stream))

    [line] = told(log_lines)
    assert (reply.status, "the proxy's key" in reply.error["message"]) == (401, True)
    assert (line["event"], line["variables"]) == ("provider_key_refused", "TEAM_KEY")
    assert line["reason"] == "API key not valid. Please pass a valid API key."
    assert_masked(reply, told(log_lines))


@TRANSPORTS
async def test_words_that_a_403_quotes_from_the_request_are_not_logged(
    openai: OpenAIEmulator, log_lines: LogLines, transport: str
) -> None:
    """A moderation's 403 may quote the client's text.

    The log line of such a 403 has the provider's words without the quoted ones.
    """
    words = "Your input was flagged: my secret diary."
    openai.faults.append({"status": 403, "message": words, "code": "moderation"})
    settings = settings_with({"m": openai_entry(openai)}, transport)
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        await proxy.post(chat("my secret diary", model="m"))

    [line] = told(log_lines)
    assert (line["event"], line["status"]) == ("provider_access_refused", 403)
    assert line["reason"] == "Your input was flagged: my … …."
    assert "moderation" in line["codes"]
    assert not {"diary", "secret"} & set(re.findall(r"\w+", json.dumps(log_lines())))


async def test_each_deployment_has_one_line_a_minute(openai: OpenAIEmulator, log_lines: LogLines) -> None:
    """Two refusals of one deployment's key within a minute give one log line.

    The other deployment of the pool answers on the second attempt.
    """
    openai.faults.extend([{"status": 401, "message": "No."}] * 3)
    wrong, other = openai_entry(openai), openai_entry(openai) | {"model": "openai/gpt-4o"}
    settings = settings_with({"one": wrong, "pool": [wrong, other]}, router_settings={"num_retries": 1})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        refused = [(await proxy.post(chat(model="one"))).status for _ in range(2)]
        pooled = await proxy.post(chat(model="pool"))

    assert refused == [401, 401]
    assert (pooled.status, pooled.headers["x-turnright-attempts"]) == (200, "2")
    assert [line["model"] for line in told(log_lines)] == ["one", "pool"]


@pytest.fixture
def no_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Hide all credentials from the SDKs: variables, files and the cloud's metadata server."""
    import os

    for name in list(os.environ):
        if name.startswith(("AWS_", "GOOGLE_", "VERTEX")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_GCE_CHECK", "true")


CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0"


@pytest.mark.usefixtures("no_credentials")
@BOTH
@pytest.mark.parametrize(
    ("params", "reason"),
    [
        ({"model": f"bedrock/{CLAUDE}"}, "NoCredentialsError: Unable to locate credentials"),
        (
            {"model": f"bedrock/{CLAUDE}", "aws_profile_name": "absent"},
            "ProfileNotFound: The config profile (absent) could not be found",
        ),
        ({"model": "sagemaker_chat/endpoint"}, "NoCredentialsError: Unable to locate credentials"),
        (
            {"model": "vertex_ai/gemini-2.5-pro", "vertex_project": "p", "vertex_location": "europe-west4"},
            "google",
        ),
    ],
)
async def test_provider_without_credentials_is_the_operators_and_not_the_conversions(
    log_lines: LogLines, params: dict[str, Any], reason: str, stream: bool
) -> None:
    """A deployment without credentials gives a 503, which says so and that nothing was sent.

    The answer's ``x-should-retry`` header tells the client not to retry.
    """
    async with serving(BEDROCK) as provider:
        at = {"aws_region_name": "eu-central-1", "aws_bedrock_runtime_endpoint": provider.base_url}
        given = {**params, **({} if params["model"].startswith("vertex") else at)}
        settings = settings_with({"m": given}, general_settings={"ui": True})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            reply = await proxy.post(chat(model="m", stream=stream))
            recent = (await proxy.get("/ui/api/recent")).json

    [line] = told(log_lines)
    assert (reply.status, reply.error["code"]) == (503, "credentials_missing")
    assert "no credentials" in reply.error["message"]
    assert "nothing was sent" in reply.error["message"]
    assert reply.headers["x-should-retry"] == "false"
    assert reason not in reply.raw.decode()
    assert line["event"] == "credentials_missing"
    assert reason in line["reason"]
    assert len(provider.requests) == 0
    assert "credentials_missing" in json.dumps(recent)


@pytest.mark.usefixtures("no_credentials")
@BOTH
async def test_credentials_of_aws_sign_the_request(log_lines: LogLines, stream: bool) -> None:
    """AWS credentials sign the request. A stand-in key would be sent as Bedrock's API key instead of the signature."""
    async with serving(BEDROCK) as provider:
        params = {
            "model": f"bedrock/{CLAUDE}",
            "aws_region_name": "eu-central-1",
            "aws_bedrock_runtime_endpoint": provider.base_url,
            "aws_access_key_id": "AKIAOPERATOR0000",
            "aws_secret_access_key": "os.environ/TEAM_KEY",
        }
        settings = settings_with({"m": params})
        async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
            answered = await proxy.post(chat(model="m", stream=stream))
            provider.faults.append(
                {"status": 403, "message": "The security token included in the request is invalid."}
            )
            refused = await proxy.post(chat(model="m", stream=stream))

    [line] = told(log_lines)
    assert answered.status == 200
    assert (
        provider.requests[0].headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKIAOPERATOR")
    )
    assert (refused.status, "the proxy's key" in refused.error["message"]) == (403, True)
    assert (line["event"], line["variables"]) == ("provider_key_refused", "TEAM_KEY")
    assert line["reason"] == "The security token included in the request is invalid."


@pytest.mark.usefixtures("no_credentials")
async def test_another_deployment_is_asked_where_one_has_no_credentials(
    openai: OpenAIEmulator, log_lines: LogLines
) -> None:
    """The pool's deployment with credentials answers, and the log says once that the other has none."""
    pool = [{"model": f"bedrock/{CLAUDE}", "aws_region_name": "eu-central-1"}, openai_entry(openai)]
    settings = settings_with({"pool": pool}, router_settings={"num_retries": 1})
    async with proxied(settings, SelectingUpstream.for_settings(settings)) as proxy:
        replies = [await proxy.post(chat(model="pool")) for _ in range(4)]

    assert [reply.status for reply in replies] == [200] * 4
    assert [line["event"] for line in told(log_lines)] == ["credentials_missing"]
