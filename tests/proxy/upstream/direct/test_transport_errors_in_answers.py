"""Tests that errors under a 200 keep their status, headers and bytes, like errors with another status."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import UpstreamFault, UpstreamTimeout
from proxy.core.failures import Evidence
from proxy.resilience.read_error import Quota, read_error
from tests.proxy.upstream.provider import (
    FIRST,
    Script,
    calling,
    event,
    head,
    piece,
    providing,
    sending,
    whole,
)

MODELS = pytest.mark.parametrize("model", ["openai/gpt-4.1", "gemini/gemini-2.5-pro"])
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "17s"}
QUOTA = {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
}
USED_UP = {
    "error": {
        "code": 429,
        "message": "You exceeded it.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [RETRY, QUOTA],
    }
}
BEGUN = {"candidates": [{"content": {"parts": [{"text": "Good "}]}}]}


async def fault(script: Script, model: str, *, stream: bool, **limits: float) -> UpstreamFault:
    """Return the fault that a call raises."""
    async with providing(script) as provider, calling(provider.port, limits, model=model) as direct:
        with pytest.raises(UpstreamFault) as raised:
            await direct.ask(stream=stream)
    return raised.value


def answering(body: bytes, how: str, model: str) -> Script:
    """Return a script that sends an error in place of an answer, or of an event, under a 200."""
    more = "X-RateLimit-Reset: 6m0s\r\nRetry-After: 17\r\n"
    first = piece(event(BEGUN)) if model.startswith("gemini") else FIRST
    parts = {
        "whole": [head("application/json", more=more), piece(body)],
        "whole as a stream": [head(more=more), piece(b"\n" + body)],
        "event": [head(more=more), piece(b"data: " + body + b"\n\n")],
        "later event": [head(more=more), first, piece(b"data: " + body + b"\n\n")],
    }[how]
    return sending(*parts, piece(b""))


HOW = pytest.mark.parametrize("how", ["whole", "whole as a stream", "event", "later event"])


@MODELS
@HOW
async def test_error_keeps_status_headers_and_bytes(how: str, model: str) -> None:
    """The time to retry and the kind of quota can be read from the fault's evidence."""
    body = json.dumps(USED_UP).encode()
    found = await fault(answering(body, how, model), model, stream=how != "whole")

    assert (found.message, found.upstream_status) == ("You exceeded it.", 429)
    assert found.headers == {"retry-after": "17"}
    assert found.evidence.status == 200
    assert found.evidence.headers["x-ratelimit-reset"] == "6m0s"
    assert found.evidence.body.strip() == body
    read = read_error(found.upstream_status, found.evidence, now=0)
    assert (read.retry_after_s, read.quota) == (17, Quota.LONG)


@MODELS
async def test_large_error_body_is_not_kept_as_evidence(model: str) -> None:
    """A large error body is dropped, since a part of a JSON text could not be read."""
    body = json.dumps({"error": {"code": 500, "message": "x" * 2**17}}).encode()
    found = await fault(answering(body, "event", model), model, stream=True)

    assert (found.evidence.body, len(found.message)) == (b"", 2000)


async def test_timeout_has_no_event_as_evidence() -> None:
    """The evidence of a timeout has the answer's status and headers, and an empty body."""
    found = await fault(sending(head() + FIRST, then="wait"), "openai/m", stream=True, idle_s=0.1)

    assert isinstance(found, UpstreamTimeout)
    assert found.evidence == Evidence(200, found.evidence.headers, b"")


REASON = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@pytest.mark.parametrize(
    ("how", "status"), [("whole", "200 OK"), ("later event", "200 OK"), ("whole", "400 Bad Request")]
)
@pytest.mark.parametrize(
    ("error", "wrapped"),
    [
        ({"message": "API key not valid. Please pass a valid API key."}, False),
        ({"message": "API key expired. Please renew the API key.", "details": [REASON]}, True),
        ({"message": "API Key not found. Please pass a valid API key.", "details": [REASON]}, False),
        ({"message": "Renew it.", "details": [{}, 7, REASON]}, True),
    ],
    ids=["not valid", "expired", "not found", "by its reason"],
)
async def test_gemini_s_400_for_a_bad_key_is_a_401(
    how: str, wrapped: bool, error: dict[str, Any], status: str
) -> None:
    """A client would read a 400 as its own mistake."""
    told: Any = {"error": {"code": 400, "status": "INVALID_ARGUMENT", **error}}
    body = json.dumps([told] if wrapped else told).encode()
    script = answering(body, how, "gemini/m")
    if status != "200 OK":
        script = sending(whole(body, status=status))
    found = await fault(script, "gemini/gemini-2.5-pro", stream=how != "whole")

    assert found.http_status == 401
    assert "the proxy's key" in found.message
    assert found.evidence.body.strip() == body


@pytest.mark.parametrize(
    "error",
    [
        {"message": "Unknown name: API_KEY_INVALID"},
        {"message": "No.", "details": "API_KEY_INVALID"},
        {"message": "The api key"},
    ],
)
async def test_400_that_only_mentions_a_key_stays_a_400(error: dict[str, Any]) -> None:
    """The provider's message is passed on."""
    body = json.dumps({"error": {"code": 400, **error}}).encode()
    found = await fault(sending(whole(body, status="400 X")), "gemini/gemini-2.5-pro", stream=False)

    assert (found.http_status, found.message) == (400, error["message"])
