"""Tests the facts of a provider's error: the longest delay, quotas, wrapped errors and quotations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.failures import Evidence
from proxy.resilience.read_error import ProviderError, Quota, read_error
from proxy.resilience.unwrap_error import unwrap_error
from tests.support.cpu_time import cpu_seconds

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


def read(body: Any, status: int | None = 429, headers: dict[str, str] | None = None) -> ProviderError:
    """Read an error from its body, given as JSON or bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_error(status, Evidence(status, headers or {}, raw), now=NOW)


def test_the_longest_delay_counts() -> None:
    """The longest delay counts: an outer proxy's header may be shorter than Google's delay in the body."""
    error = read(
        {"error": {"details": [{"retryDelay": "45s"}, {"quotaResetDelay": "1h16m0.66s"}]}},
        headers={"retry-after": "1"},
    )

    assert error.retry_after_s == pytest.approx(4560.66)


def test_a_quoted_request_is_ignored() -> None:
    """A quoted request in an error is ignored. FastAPI's servers send the input back with the user's text."""
    quoted = "rate limit, prompt is too long, per day, retry in 99s"
    error = read(
        {
            "detail": [{"msg": "bad", "input": quoted, "ctx": {"error": quoted}}],
            "messages": [{"content": quoted}],
        },
        422,
    )

    assert (error.overflow, error.quota, error.retry_after_s) == (None, Quota.NONE, None)
    assert error.words == "bad"


def test_the_innermost_status_counts() -> None:
    """The innermost status counts, since a gateway answers 500 with the inner status in its body."""
    assert read({"error": {"code": 500, "message": '{"error": {"code": "429"}}'}}, 500).status == 429
    assert read({"error": {"code": "rate_limit"}}, 503).status == 503
    assert read({"error": {"code": True}}, 503).status == 503
    assert read({"error": {"code": 200}}, 503).status == 503


INNER = '{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow."}}'


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        " \n",
        "Error: ",
        "litellm.RateLimitError: GeminiException - ",
        "litellm.APIError: APIError: OpenAIException - ",
        "litellm.BadRequestError: VertexAIException BadRequestError - ",
        "openai.RateLimitError: Error code: 429 - ",
        "Error code: 429 - ",
        "RateLimitError:",
    ],
)
def test_a_wrapped_error_is_read(prefix: str) -> None:
    """An error is read after names of exceptions, as text or as the ``repr`` of its bytes."""
    for inner in (INNER, repr(INNER.encode()), json.dumps(INNER)):
        text = prefix + inner
        for body in (text.encode(), json.dumps({"error": {"message": text, "code": 400}}).encode()):
            error = read(body, 400)
            assert (error.status, "resource_exhausted" in error.codes) == (429, True), body


QUOTED = '{"code": 401, "type": "insufficient_quota", "retryDelay": "99s"}'


@pytest.mark.parametrize(
    "message",
    [
        f"'{QUOTED}' is not valid under any of the given schemas.",
        f"{QUOTED} is not valid under any of the given schemas.",
        f"Invalid value: {QUOTED}",
        f"Invalid value: {json.dumps(QUOTED)}",
        f"Invalid value: b'{QUOTED}'",
        f"Error while reading: {QUOTED}",
        f"BadRequestError: Invalid value: {QUOTED}",
        f"ValueError {QUOTED}",
        f"Could not parse [1] in ValueError: {QUOTED}",
        f"Invalid Terror: {QUOTED}",
    ],
)
def test_a_quotation_is_no_error(message: str) -> None:
    """A client's JSON that a provider quotes in a sentence is not read as the provider's error."""
    for body in (message, {"error": {"message": message, "code": None}}):
        error = read(body if isinstance(body, dict) else body.encode(), 400)
        assert (error.status, error.codes) == (400, frozenset())
        assert (error.retry_after_s, error.quota) == (None, Quota.NONE)


@pytest.mark.parametrize(
    ("body", "quota"),
    [
        ({"error": {"message": "limit: 0"}}, Quota.LONG),
        ({"error": {"message": "limit: 05"}}, Quota.NONE),
        ({"error": {"message": "Daily limit reached"}}, Quota.LONG),
        ({"error": {"details": [{"reason": "QUOTA_EXHAUSTED"}]}}, Quota.LONG),
        ({"error": {"details": [{"reason": "RATE_LIMIT_EXCEEDED"}]}}, Quota.NONE),
        ({"error": {"status": "RESOURCE_EXHAUSTED"}}, Quota.SHORT),
    ],
)
def test_short_and_long_quotas_are_told_apart(body: Any, quota: Quota) -> None:
    """Short and long quotas are distinguished. A short quota returns while a client waits."""
    assert read(body).quota is quota


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | st.sampled_from(["{", '{"error": {}}', "retry in 5s", "[1]"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["error", "message", "code", "details", "retryDelay", "status", "reason", "seconds", "quotaId"]) | st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(
    body=st.binary(max_size=200) | _JSON.map(lambda value: json.dumps(value).encode()),
    header=st.text(max_size=20),
)
def test_anything_can_be_read(body: bytes, header: str) -> None:
    """Any body and any header can be read, and the delay and the status are in bounds."""
    error = read_error(429, Evidence(429, {"retry-after": header, "retry-after-ms": header}, body), now=NOW)

    assert error.retry_after_s is None or 0 <= error.retry_after_s <= 366 * 86_400
    assert error.status is None or 400 <= error.status < 600


def test_a_body_of_brackets_is_bounded() -> None:
    """Deep and large bodies of brackets take bounded work."""
    deep = b"[" * 100_000 + b"]" * 100_000
    assert unwrap_error(deep).objects == ()
    wide = json.dumps([{"message": "x"}] * 100_000).encode()
    assert len(unwrap_error(wide).objects) < 1000


HOSTILE = [
    "input token count ",
    "prompt contains 1 tokens ",
    "prompt contains ",
    "maximum context length is 1 tokens however ",
    "1,",
    "1m",
    "1.",
    "retry in ",
    "retry in 1",
    "retry  ",
    " ",
    "\n",
    "ErrorException",
    "aError: ",
    "aError ",
    "Error.",
    "b'{",
    "{[(",
    "\\",
]


@pytest.mark.long
@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_to_read_is_linear_in_the_text(piece: str) -> None:
    """The time to read an error is linear in its text.

    Errors are read on the event loop, between the events of other clients.
    """
    text = piece * (20_000 // len(piece))
    bodies: list[Any] = [[{"message": text, "retryDelay": text}] * 12]
    bodies += [f"retry in {text}'", f"{text}{{}}'", f"Error{text}{{}}", f"'{{{text}'", [text] * 12]
    raw = [json.dumps(body).encode() if isinstance(body, list) else body.encode() for body in bodies]

    # At most 0.1 on a quiet machine. It is 3 to 15 with an expression that takes quadratic time.
    assert cpu_seconds(lambda: [read(body, 400) for body in raw], bound=1) < 1
