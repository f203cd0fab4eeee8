"""Tests of upstream faults: the evidence from the provider's answer, and the message that a client may read."""

from __future__ import annotations

import json

import pytest
from multidict import CIMultiDict

from proxy.core.failures import Cause
from proxy.ingress.openai_answers import write_error
from proxy.upstream.faults import fault_of_answer
from tests.proxy.conftest import TRANSPORTS
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.proxy.upstream.provider import BOTH
from tests.proxy.upstream.raised_faults import fault_from
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import GEMINI

pytestmark = LITELLM_NOISE


@TRANSPORTS
@BOTH
async def test_gemini_error_keeps_its_details(gemini: GeminiEmulator, transport: str, stream: bool) -> None:
    """Google names the time to retry and the quota in the body."""
    await gemini.fault(
        status=429, retry_delay_seconds=31, quota_id="GenerateRequestsPerDayPerProjectPerModel"
    )
    fault = await fault_from({"model": GEMINI, "api_base": f"{gemini.base}/v1beta"}, transport, stream=stream)

    assert (fault.cause, fault.upstream_status, fault.evidence.status) == (Cause.REFUSED, 429, 429)
    details = json.loads(fault.evidence.body)["error"]["details"]
    assert "GenerateRequestsPerDayPerProjectPerModel" in json.dumps(details)
    assert '"31s"' in json.dumps(details)
    assert fault.evidence.headers["content-type"].startswith("application/json")


@TRANSPORTS
@BOTH
async def test_openai_error_keeps_its_headers(openai: OpenAIEmulator, transport: str, stream: bool) -> None:
    """Header names are kept in lower case, whatever the provider's spelling."""
    openai.faults.append(
        {"status": 429, "message": "Slow.", "headers": {"X-RateLimit-Reset-Requests": "6m0s"}}
    )
    fault = await fault_from(
        {"model": "openai/gpt-4.1", "api_base": openai.base_url}, transport, stream=stream
    )

    assert fault.evidence.headers["x-ratelimit-reset-requests"] == "6m0s"
    assert json.loads(fault.evidence.body)["error"]["message"] == "Slow."


def test_evidence_is_in_no_text_of_a_fault() -> None:
    """The repr and the client's error hold no header and no body."""
    fault = fault_of_answer(400, {"X-Secret": "in-a-header"}, "Words.", (), b'{"secret": "in-a-body"}')

    assert fault.evidence.headers == {"x-secret": "in-a-header"}
    assert "secret" not in f"{fault!r} {fault} {fault.evidence!r} {write_error(fault)!r} {fault.headers}"


def test_bad_gemini_key_keeps_its_own_status_as_evidence() -> None:
    """The client gets a 401, and the evidence keeps Gemini's 400 for the failure table."""
    fault = fault_of_answer(400, {}, "API key not valid. Please pass a valid API key.", ())

    assert (fault.http_status, fault.evidence.status) == (401, 400)


LONG_KEY = "sk-ours-" + "5d0f7c1e" * 8


@pytest.mark.parametrize("filling", ["x", " ", f"{LONG_KEY} ", "*a"])
def test_long_message_is_cut_without_a_part_of_a_key(filling: str) -> None:
    """The cut may go through a key, and the message still shows no part of the key."""
    for size in (8_190, *range(8_540, 8_640, 9)):  # the search ends at 8,624 characters
        words = (filling * size)[:size] + LONG_KEY * 2
        told = fault_of_answer(400, {}, words, (LONG_KEY,)).message

        assert 0 < len(told) <= 2_000
        assert "sk-o" not in told


@pytest.mark.parametrize(
    ("name", "value", "passed"),
    [
        ("retry-after", "7", True),
        ("Retry-After", "0.5", True),
        ("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT", True),
        ("retry-after", "1\x01\x7f\x1b", False),
        ("retry-after", "\udcff\udcfe", False),
        ("retry-after", "7\r\nSet-Cookie: a=b", False),
        ("retry-after", "9" * 30, False),
        ("retry-after", "\u0667", False),
        ("retry-after", "7\n", False),
        ("retry-after", "soon", False),
        ("retry-after-ms", "1500", True),
        ("retry-after-ms", "-1", False),
        ("x-should-retry", "true", True),
        ("x-should-retry", "False", True),
        ("x-should-retry", "maybe", False),
    ],
)
def test_only_valid_retry_headers_are_passed_on(name: str, value: str, passed: bool) -> None:
    """A header with an invalid value is left out of the client's error and kept as evidence."""
    headers = CIMultiDict({name: value})
    fault = fault_of_answer(429, headers, "Slow.", ())

    assert fault.headers == ({name.lower(): value} if passed else {})
    assert fault.evidence.headers == {name.lower(): value}


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_the_words_of_the_provider_are_kept_for_the_log_without_secrets(status: int) -> None:
    """For a 401 or 403, the client does not get the provider's words."""
    fault = fault_of_answer(status, {}, "Wrong key: sk-secret-of-ours.", ("sk-secret-of-ours",))

    assert fault.reason == "Wrong key: ********."
    assert ("Wrong key" in fault.message) is (status not in (401, 403))
