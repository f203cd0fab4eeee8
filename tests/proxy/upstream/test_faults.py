"""What an error keeps for those who decide what happens next, and what of it a client may read."""

from __future__ import annotations

import json
from contextlib import aclosing
from typing import Any

import pytest

from proxy.config import resolve
from proxy.errors import UpstreamFault
from proxy.failures import Cause
from proxy.upstream import Timeouts, UpstreamCall
from proxy.upstream.faults import fault_of_answer, mask, secrets_of
from proxy.upstream.selecting import SelectingUpstream
from tests.proxy.conftest import OUR_KEY, TRANSPORTS, settings_on
from tests.proxy.emulator.conftest import Client as GeminiEmulator
from tests.support.builders import user
from tests.support.litellm_noise import LITELLM_NOISE
from tests.support.openai_emulator import OpenAIEmulator
from tests.support.proxied import GEMINI, settings_of

pytestmark = LITELLM_NOISE

BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


async def fault_from(model: dict[str, Any], transport: str, *, stream: bool) -> UpstreamFault:
    """Return what one call of a deployment raises."""
    settings = settings_on(transport, {"model": {**model, "api_key": OUR_KEY}})
    call = UpstreamCall(resolve(settings, "model")[0], [user("Hi.")], {}, Timeouts(5, 5, 5, 5))
    upstream = SelectingUpstream.for_settings(settings)
    await upstream.start()
    try:
        with pytest.raises(UpstreamFault) as caught:
            await _run(upstream, call, stream=stream)
    finally:
        await upstream.close()
    return caught.value


async def _run(upstream: SelectingUpstream, call: UpstreamCall, *, stream: bool) -> None:
    if not stream:
        await upstream.complete(call)
        return
    async with aclosing(upstream.stream(call)) as chunks:
        async for _ in chunks:
            pass


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
    assert "secret" not in f"{fault!r} {fault} {fault.evidence!r} {fault.body()} {fault.headers}"


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
