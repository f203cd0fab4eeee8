"""What an error keeps for those who decide what happens next, and what of it a client may read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from multidict import CIMultiDict

from proxy.config import resolve
from proxy.core.failures import Cause
from proxy.ingress.openai_answers import write_error
from proxy.upstream.faults import fault_of_answer
from proxy.upstream.masking import mask, secrets_of
from tests.proxy.conftest import OUR_KEY, TRANSPORTS
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.proxy.upstream.raised_faults import fault_from
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import GEMINI, settings_of

pytestmark = LITELLM_NOISE

BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@TRANSPORTS
@BOTH
async def test_gemini_error_keeps_its_details(gemini: GeminiEmulator, transport: str, stream: bool) -> None:
    """Google says in the body when to try again, and which quota it was."""
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
    """Names in lower case, whatever the provider's spelling."""
    openai.faults.append(
        {"status": 429, "message": "Slow.", "headers": {"X-RateLimit-Reset-Requests": "6m0s"}}
    )
    fault = await fault_from(
        {"model": "openai/gpt-4.1", "api_base": openai.base_url}, transport, stream=stream
    )

    assert fault.evidence.headers["x-ratelimit-reset-requests"] == "6m0s"
    assert json.loads(fault.evidence.body)["error"]["message"] == "Slow."


def test_evidence_is_not_shown() -> None:
    """Neither its text nor what goes to a client holds a header or a body."""
    fault = fault_of_answer(400, {"X-Secret": "in-a-header"}, "Words.", (), b'{"secret": "in-a-body"}')

    assert fault.evidence.headers == {"x-secret": "in-a-header"}
    assert "secret" not in f"{fault!r} {fault} {fault.evidence!r} {write_error(fault)!r} {fault.headers}"


def test_bad_gemini_key_keeps_its_own_status_as_evidence() -> None:
    """A client sees 401; the classifier may see what was said."""
    fault = fault_of_answer(400, {}, "API key not valid. Please pass a valid API key.", ())

    assert (fault.http_status, fault.evidence.status) == (401, 400)


@pytest.mark.parametrize(
    "text",
    [
        "at https://llm.internal.example:8443/v1",
        "at LLM.Internal.Example",
        "lookup llm.internal.example failed",
        "at llm.internal.example:8443",
        "organization org-0123456789",
        "project MY-VERTEX-PROJECT",
        "token-of-ours",
        "sk-ours-5d0f7c1e and SK-OURS-5D0F7C1E",
    ],
)
def test_what_is_ours_is_covered(text: str) -> None:
    """The address with and without port and path, in any case; organization and project; key and headers."""
    entry = {
        "model": "openai/gpt-4.1",
        "api_base": "https://llm.internal.example:8443/v1",
        "api_key": OUR_KEY,
        "organization": "org-0123456789",
        "vertex_project": "my-vertex-project",
        "aws_region_name": "us-east-1",
        "extra_headers": {"x-team": "token-of-ours"},
    }
    secrets = secrets_of(resolve(settings_of({"model": entry}), "model")[0])

    covered = mask(f"{text} in us-east-1", secrets)
    for held in ("internal", "0123456789", "vertex-project", "token", "5d0f7c1e"):
        assert held not in covered.lower()
    assert covered.endswith("in us-east-1")


@pytest.mark.parametrize(
    ("entry", "text", "covered"),
    [
        ({"api_key": "pass123"}, "key pass123, not pass1234", "key ********, not pass1234"),
        ({"api_base": "http://vllm/v1"}, "lookup VLLM: vllms?", "lookup ********: vllms?"),
        ({"api_base": "http://vllm:8000/v1"}, "at vllm:8000 or vllm", "at ******** or ********"),
        ({"api_key": "sk/OURS+5d0f"}, "key=sk%2FOURS%2B5d0f", "key=********"),
        ({"api_key": "sk/OURS+5d0f"}, "key=sk%2fours%2b5d0f or sk/OURS%2B5d0f", "key=******** or ********"),
        ({"api_key": "none"}, "None of them.", "None of them."),
        ({"api_key": "EMPTY"}, "The answer is empty.", "The answer is empty."),
        ({"api_key": "x"}, "An x.", "An x."),
        ({"extra_headers": {"x-beta": "true"}}, "It is true.", "It is true."),
    ],
)
def test_short_ones_are_covered_as_words(entry: dict[str, Any], text: str, covered: str) -> None:
    """Short keys and hosts, where no other word is garbled; a key as an address spells it; no placeholder."""
    entry = {"model": "openai/gpt-4.1", "api_key": OUR_KEY, **entry}
    secrets = secrets_of(resolve(settings_of({"model": entry}), "model")[0])

    assert mask(text, secrets) == covered


LONG_KEY = "sk-ours-" + "5d0f7c1e" * 8


@pytest.mark.parametrize("filling", ["x", " ", f"{LONG_KEY} ", "*a"])
def test_long_words_are_told_in_part(filling: str) -> None:
    """What is cut off may cut a key in two, and no part of it is told."""
    for size in range(8_190, 8_700, 7):
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
def test_only_what_says_when_to_try_again_is_passed(name: str, value: str, passed: bool) -> None:
    """A provider's header that no client could be sent, or read, is left out; the error itself is not lost."""
    headers = CIMultiDict({name: value})
    fault = fault_of_answer(429, headers, "Slow.", ())

    assert fault.headers == ({name.lower(): value} if passed else {})
    assert fault.evidence.headers == {name.lower(): value}
