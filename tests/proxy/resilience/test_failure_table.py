"""Tests of the failure table with recorded errors of providers. Every row is the first match of some case."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from proxy.core.failures import Cause, Evidence
from proxy.resilience.failure_table import INVALID, TABLE, Blame, Kind, Reach, find_row, reach_of
from proxy.resilience.read_error import NO_ERROR_FACTS, read_error

GOOGLE_QUOTA = "type.googleapis.com/google.rpc.QuotaFailure"


def google(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    """Return an error body in Google's format."""
    error: dict[str, Any] = {"code": code, "message": message, "status": status}
    return {"error": {**error, "details": list(details)} if details else error}


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> dict[str, Any]:
    """Return an error body in OpenAI's format."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def quota(quota_id: str) -> dict[str, Any]:
    """Return the detail of a Google error that names a quota."""
    return {"@type": GOOGLE_QUOTA, "violations": [{"quotaId": quota_id, "quotaValue": "50"}]}


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded failure, and the kind that the table must give it."""

    name: str
    kind: Kind
    status: int | None = None
    body: Any = None
    cause: Cause = Cause.REFUSED
    delay: float | None = None
    headers: dict[str, str] = field(default_factory=dict)


MINUTE = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"
FREE_TIER = (
    "You exceeded your current quota, please check your plan and billing details. \n* Quota exceeded for metric: "
    "generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0, model: gemini-3-pro\n"
    "Please retry in 45.578569677s."
)
VERTEX_SHARED = (
    "Resource exhausted. Please try again later. Please refer to "
    "https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details."
)
REFUSED = [
    Case("gemini overflow", Kind.CONTEXT_OVERFLOW, 400, google(400, "INVALID_ARGUMENT", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).")),
    Case("openai overflow", Kind.CONTEXT_OVERFLOW, 400, openai("This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.", "context_length_exceeded")),
    Case("openai overflow, newer", Kind.CONTEXT_OVERFLOW, 400, openai("Your input exceeds the context window of this model. Please adjust your input and try again.")),
    Case("anthropic overflow", Kind.CONTEXT_OVERFLOW, 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 213462 tokens > 200000 maximum"}}),
    Case("anthropic 413", Kind.CONTEXT_OVERFLOW, 413, {"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
    Case("llama.cpp overflow", Kind.CONTEXT_OVERFLOW, 400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size, try increasing it"}}),
    Case("vllm overflow as 422", Kind.CONTEXT_OVERFLOW, 422, {"detail": "Input length (265330) exceeds model's maximum context length (262144)."}),
    Case("azure filter", Kind.CONTENT_FILTER, 400, openai("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", "content_filter")),
    Case("openai policy", Kind.CONTENT_FILTER, 400, openai("Your request was rejected.", "content_policy_violation")),
    Case("dashscope filter", Kind.CONTENT_FILTER, 400, openai("Input data may contain inappropriate content.", "data_inspection_failed", "data_inspection_failed")),
    Case("dashscope filter in words", Kind.CONTENT_FILTER, 400, openai("<400> InternalError.Algo.DataInspectionFailed: Input text data may contain inappropriate content.")),
    Case("gemini per day", Kind.QUOTA_EXHAUSTED, 429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "45s"}), delay=45),
    Case("gemini limit 0", Kind.QUOTA_EXHAUSTED, 429, google(429, "RESOURCE_EXHAUSTED", FREE_TIER), delay=45.578569677),
    Case("openai credit", Kind.QUOTA_EXHAUSTED, 429, openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota")),
    Case("openrouter credit", Kind.QUOTA_EXHAUSTED, 402, openai("This request requires more credits", None, "")),
    Case("openrouter, a smaller answer", Kind.QUOTA_EXHAUSTED, 402, openai("This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1234.", None, "")),
    Case("quota under 403", Kind.QUOTA_EXHAUSTED, 403, openai("No.", "insufficient_quota", "insufficient_quota")),
    Case("openai, one request above a minute's limit", Kind.RATE_LIMITED, 429, openai("Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 40000.", "rate_limit_exceeded")),
    Case("openrouter flagged input", Kind.NOT_ALLOWED_HERE, 403, {"error": {"code": 403, "message": "Your chosen model requires moderation and your input was flagged", "metadata": {"reasons": ["violence"], "flagged_input": "..."}}}),
    Case("openrouter image", Kind.MODEL_GONE, 404, {"error": {"code": 404, "message": "No endpoints found that support image input"}}),
    Case("gemini per minute", Kind.RATE_LIMITED, 429, google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota.", quota(MINUTE), {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "2s"}), delay=2),
    Case("gemini input tokens per minute", Kind.RATE_LIMITED, 429, google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for input tokens.", quota("GenerateContentInputTokensPerModelPerMinute-FreeTier"))),
    Case("gemini limit: 10", Kind.RATE_LIMITED, 429, google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric: x, limit: 10, model: y")),
    Case("vertex shared", Kind.RATE_LIMITED, 429, google(429, "RESOURCE_EXHAUSTED", VERTEX_SHARED)),
    Case("openai requests", Kind.RATE_LIMITED, 429, openai("Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 6m0s.", "rate_limit_exceeded"), delay=360, headers={"retry-after": "7"}),
    Case("bedrock throttling", Kind.RATE_LIMITED, 429, {"message": "Too many tokens, please wait before trying again.", "__type": "ThrottlingException"}),
    Case("key refused", Kind.KEY_REFUSED, 401, openai("Incorrect API key provided", "invalid_api_key")),
    Case("gemini key refused", Kind.KEY_REFUSED, 400, google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"})),
    Case("gemini location", Kind.NOT_ALLOWED_HERE, 400, google(400, "FAILED_PRECONDITION", "User location is not supported for the API use.")),
    Case("permission", Kind.NOT_ALLOWED_HERE, 403, google(403, "PERMISSION_DENIED", "The caller does not have permission")),
    Case("item not stored", Kind.INVALID_REQUEST, 404, {"error": {"message": "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", "param": "input"}}),
    Case("no chats", Kind.MODEL_GONE, 404, {"error": {"message": "This model is only supported in v1/responses and not in v1/chat/completions.", "param": "model"}}),
    Case("model gone", Kind.MODEL_GONE, 404, google(404, "NOT_FOUND", "models/x is not found for API version v1beta")),
    Case("timeout of theirs", Kind.REQUEST_TIMEOUT, 408, openai("Request timed out.")),
    Case("conflict", Kind.CONFLICT, 409, openai("Conflict.")),
    Case("too early", Kind.TOO_EARLY, 425),
    Case("too large", Kind.TOO_LARGE, 413, b""),
    Case("cancelled", Kind.CANCELLED, 499, google(499, "CANCELLED", "The operation was cancelled.")),
    Case("turn order", Kind.INVALID_REQUEST, 400, google(400, "INVALID_ARGUMENT", "Please ensure that function call turn comes immediately after a user turn or after a function response turn.")),
    Case("openai quotes a client", Kind.INVALID_REQUEST, 400, openai("'api key not valid' is not valid under any of the given schemas.")),
    Case("openai quotes a place", Kind.INVALID_REQUEST, 400, openai("'user location is not supported' is no type")),
    Case("pydantic", Kind.INVALID_REQUEST, 422, {"detail": [{"loc": ["body", "x"], "msg": "extra fields", "input": "rate limit: prompt is too long"}]}),
    Case("llama.cpp's template", Kind.INVALID_REQUEST, 500, {"error": {"code": 500, "message": "\n------------\nWhile executing CallExpression at line 47, column 32 in source:\n...\nError: Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.", "type": "server_error"}}),
    Case("deadline of theirs", Kind.GATEWAY_TIMEOUT, 504, google(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete.")),
    Case("anthropic overloaded", Kind.OVERLOADED, 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    Case("gemini overloaded", Kind.UNAVAILABLE, 503, google(503, "UNAVAILABLE", "The model is overloaded. Please try again later.")),
    Case("bad gateway", Kind.BAD_GATEWAY, 502, b"<html>502 Bad Gateway</html>"),
    Case("gemini internal", Kind.SERVER_ERROR, 500, google(500, "INTERNAL", "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting")),
    Case("cloudflare", Kind.SERVER_ERROR, 520, b""),
    Case("teapot", Kind.OTHER_REFUSAL, 418),
    Case("redirect", Kind.NOT_AN_ANSWER, 302),
    Case("array around it", Kind.RATE_LIMITED, 429, [google(429, "RESOURCE_EXHAUSTED", "Slow.", {"retryDelay": "3.5s"})], delay=3.5),
    Case("litellm's prefix, a status of its own", Kind.UNAVAILABLE, 500, b'litellm.InternalServerError: GeminiException - {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}'),
    Case("error in error in text", Kind.RATE_LIMITED, 500, {"error": {"message": json.dumps(google(429, "RESOURCE_EXHAUSTED", "Please retry in 12s."))}}, delay=12),
    Case("repr of bytes", Kind.CONTEXT_OVERFLOW, 400, repr(json.dumps(google(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum number of tokens allowed (8).")).encode()).encode()),
    Case("openrouter raw", Kind.RATE_LIMITED, 502, {"error": {"code": 502, "message": "Provider returned error", "metadata": {"raw": json.dumps({"error": {"code": 429, "message": "slow"}})}}}),
]  # fmt: skip
LOCAL = [
    Case("refused connection", Kind.UNREACHABLE, cause=Cause.UNREACHABLE),
    Case("connect timeout", Kind.UNREACHABLE, cause=Cause.CONNECT_TIMEOUT),
    Case("no credentials", Kind.KEY_REFUSED, cause=Cause.NO_CREDENTIALS),
    Case("reset", Kind.CONNECTION_LOST, cause=Cause.CONNECTION_LOST),
    *(
        Case(cause.value, Kind(cause.value), cause=cause)
        for cause in Cause
        if cause
        not in (
            Cause.REFUSED,
            Cause.NO_CREDENTIALS,
            Cause.UNREACHABLE,
            Cause.CONNECT_TIMEOUT,
            Cause.CONNECTION_LOST,
        )
    ),
]
CASES = [*REFUSED, *LOCAL]


def row_of(case: Case) -> Any:
    """Return the table's row for a case, and the facts of the case's error."""
    body = case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode() if case.body else b""
    error = read_error(case.status, Evidence(case.status, case.headers, body), now=1_800_000_000)
    return find_row(case.cause, error), error


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_recorded_failure_has_its_kind(case: Case) -> None:
    """The table gives the expected kind, and a named delay is read."""
    row, error = row_of(case)

    assert row.kind is case.kind
    assert error.retry_after_s == case.delay


def test_every_row_has_a_failure() -> None:
    """Every row is the first match of some case, so no earlier row hides it."""
    met = {id(row_of(case)[0]) for case in CASES}

    assert [row.kind for row in TABLE if id(row) not in met] == []


def test_every_cause_and_status_has_a_row() -> None:
    """Every combination of cause and status has a row of the table."""
    for cause in Cause:
        for status in (None, *range(100, 600)):
            find_row(cause, read_error(status, Evidence(), now=0))


def test_rules_across_rows_hold() -> None:
    """Every row keeps the table's general rules, so that an edit of one row cannot break them unseen."""
    for row in TABLE:
        assert row.source, row.kind
        if row.kind is Kind.INVALID_REQUEST:
            assert (row.retries, row.repair) == (0, True)
        assert not (row.repair and row.retries), "what is repaired is never sent again unchanged"
        if row.note:
            assert row.retries
    retried = {row.kind for row in TABLE if row.retries}
    assert retried >= {Kind.SERVER_ERROR, Kind.UNAVAILABLE, Kind.RATE_LIMITED, Kind.EMPTY, Kind.TRUNCATED}
    assert not retried & {Kind.CONTEXT_OVERFLOW, Kind.CONTENT_FILTER, Kind.QUOTA_EXHAUSTED, Kind.KEY_REFUSED}


PARKED_FOR = [
    ("gemini per day", Blame.LONG_COOLDOWN, Reach.ALL),
    ("openai credit", Blame.LONG_COOLDOWN, Reach.ALL),
    ("quota under 403", Blame.LONG_COOLDOWN, Reach.ALL),
    ("openrouter credit", Blame.LONG_COOLDOWN, Reach.ALL),
    ("openrouter, a smaller answer", Blame.LONG_COOLDOWN, Reach.TENANT),
    ("openai requests", Blame.COOLDOWN, Reach.ALL),
    ("openai, one request above a minute's limit", Blame.COOLDOWN, Reach.TENANT),
    ("key refused", Blame.LONG_COOLDOWN, Reach.ALL),
    ("gemini key refused", Blame.LONG_COOLDOWN, Reach.ALL),
    ("gemini location", Blame.LONG_COOLDOWN, Reach.TENANT),
    ("permission", Blame.LONG_COOLDOWN, Reach.TENANT),
    ("openrouter flagged input", Blame.NONE, Reach.TENANT),
    ("model gone", Blame.LONG_COOLDOWN, Reach.TENANT),
    ("openrouter image", Blame.NONE, Reach.TENANT),
    ("gemini overloaded", Blame.COUNTED, Reach.TENANT),
    ("gemini internal", Blame.COUNTED, Reach.TENANT),
    ("llama.cpp's template", Blame.NONE, Reach.TENANT),
    ("anthropic overloaded", Blame.COUNTED, Reach.TENANT),
    ("refused connection", Blame.COUNTED, Reach.ALL),
    ("connect timeout", Blame.COUNTED, Reach.ALL),
    ("reset", Blame.COUNTED, Reach.TENANT),
    ("truncated", Blame.COUNTED, Reach.TENANT),
]


@pytest.mark.parametrize(("name", "blame", "reach"), PARKED_FOR)
def test_a_failure_counts_for_all_only_where_no_client_caused_it(
    name: str, blame: Blame, reach: Reach
) -> None:
    """A failure with words that a client may have written counts only for the client's tenant."""
    (case,) = (case for case in CASES if case.name == name)
    row, error = row_of(case)

    assert (row.blame, reach_of(row, error)) == (blame, reach)


def test_row_of_a_refused_body_is_that_of_a_plain_400() -> None:
    """A body is remembered as refused by this very row, whatever rows of its kind stand before it."""
    plain = replace(NO_ERROR_FACTS, status=400)

    assert INVALID.kind is Kind.INVALID_REQUEST
    assert find_row(Cause.REFUSED, plain) is INVALID
