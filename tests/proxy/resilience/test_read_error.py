"""The facts of a provider's error: delays in all notations, quotas, overflow numbers, and the guards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.failures import Evidence
from proxy.resilience.read_delay import read_delay, read_duration
from proxy.resilience.read_error import ProviderError, Quota, read_error
from proxy.resilience.read_overflow import ROWS, Overflow, read_overflow
from proxy.resilience.request_words import RequestWords
from proxy.resilience.unwrap_error import unwrap_error
from tests.support.cpu_time import cpu_seconds

NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT


def read(body: Any, status: int | None = 429, headers: dict[str, str] | None = None) -> ProviderError:
    """Read an error from its body, given as JSON or bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return read_error(status, Evidence(status, headers or {}, raw), now=NOW)


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"retry-after": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "2500", "retry-after": "3"}, 3.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "99999999999999999999"}, 366 * 86_400.0),
        ({}, None),
    ],
)
def test_a_delay_in_headers_is_read(headers: dict[str, str], delay: float | None) -> None:
    """It is in seconds, milliseconds or a date. Other texts are ignored."""
    assert read_delay(headers, (), (), now=NOW) == delay


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("Please retry in 45.578569677s.", 45.578569677),
        ("Please try again in 6m0s.", 360.0),
        ("Please try again in 1h2m3.5s.", 3723.5),
        ("Please try again in 20ms.", 0.02),
        ("Please retry after 20 seconds.", 20.0),
        ("Retry after 3 minutes", 180.0),
        ("try again in 2 hours", 7200.0),
        ("try again later", None),
        ("The model said: retry", None),
    ],
)
def test_a_delay_in_words_is_read(text: str, delay: float | None) -> None:
    """The sentences are Gemini's, OpenAI's and Azure's."""
    assert read_delay({}, (), (text,), now=NOW) == delay


@pytest.mark.parametrize(
    ("value", "delay"),
    [
        ("45s", 45.0),
        ("45.578s", 45.578),
        ({"seconds": 3, "nanos": 500_000_000}, 3.5),
        ({"seconds": "3"}, 3.0),
        (12, 12.0),
        (True, None),
        (-1, None),
        (None, None),
        ({"seconds": []}, None),
        ({"seconds": 10**400}, None),
    ],
)
def test_a_delay_in_retry_info_is_read(value: Any, delay: float | None) -> None:
    """RetryInfo comes as JSON and as protobuf's Duration."""
    assert read_delay({}, ({"retryDelay": value},), (), now=NOW) == delay


def test_the_longest_delay_counts() -> None:
    """An outer proxy's header is shorter than Google's delay inside."""
    error = read(
        {"error": {"details": [{"retryDelay": "45s"}, {"quotaResetDelay": "1h16m0.66s"}]}},
        headers={"retry-after": "1"},
    )

    assert error.retry_after_s == pytest.approx(4560.66)


@pytest.mark.parametrize(
    ("text", "seconds"), [("1d", 86_400.0), ("5", 5.0), ("s", None), ("5x", None), ("", None)]
)
def test_durations_are_read(text: str, seconds: float | None) -> None:
    """The notations are Go's and protobuf's."""
    assert read_duration(text) == seconds


OVERFLOWS = [
    ("The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", 1048575, 1196265),
    ("The input token count exceeds the maximum number of tokens allowed 1048576.", None, None),
    ("This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.", 4097, 4294),
    ("This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (100 of text input).", 131072, 140000),
    ("This model's maximum context length is 8192 tokens, so it is too long.", 8192, None),
    ("Your input exceeds the context window of this model", None, None),
    ("prompt is too long: 213462 tokens > 200000 maximum", 200000, 213462),
    ("prompt is too long", None, None),
    ("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length", 200000, 199759),
    ("Input is too long for requested model.", None, None),
    ("This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131072, 537812),
    ("Please reduce the length of the messages or completion.", None, None),
    ("Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 40000),
    ("Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131040, 131393),
    ("Input length (265330) exceeds model's maximum context length (262144).", 262144, 265330),
    ("The input (263000 tokens) is longer than the model's context length (262144 tokens).", 262144, 263000),
    ("Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 263000 tokens", 262144, 263000),
    ("the request exceeds the available context size, try increasing it", None, None),
    ("tokens to keep from the initial prompt is greater than the context length", None, None),
    ("prompt token count of 130000 exceeds the limit of 128000", 128000, 130000),
    ("Range of input length should be [1, 30720]", 30720, None),
    ("Your request exceeded model token limit: 131072 (requested: 140000)", 131072, 140000),
    ("invalid params, context window exceeds limit", None, None),
    ("Current length is 9000 while limit is 8192", 8192, 9000),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", 4096, 5000),
    ("`inputs` tokens + `max_new_tokens` must be smaller", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "limit", "requested"), OVERFLOWS)
def test_an_overflow_is_read(text: str, limit: int | None, requested: int | None) -> None:
    """Each provider's sentence is read with its numbers."""
    found = read_overflow((text,), ())

    assert found is not None
    assert (found.limit, found.requested) == (limit, requested)
    assert not found.inside_text


IN_DETAIL = [
    (
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion). Please reduce",
        Overflow(8192, 9000, 8000, with_output=True),
    ),
    (
        "This model's maximum context length is 8192 tokens. However, you requested 9300 tokens (1000 in the messages, 300 in the functions, and 8000 in the completion).",
        Overflow(8192, 9300, 8000, with_output=True),
    ),
    (
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (100 of text input, 139900 in the output).",
        Overflow(131072, 140000, 139900, with_output=True),
    ),
    (
        "This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens",
        Overflow(32768, 32769),
    ),
    (
        "Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 263000 tokens",
        Overflow(262144, 263000, with_output=True),
    ),
    ("This model's maximum context length is 128k tokens, and no more.", Overflow(128_000)),
    ("maximum context length is 1.5M, and no more.", Overflow(1_500_000)),
    ("Invalid value: 'maximum context length is 10000 tokens'. Supported values are: 'auto'.", None),
    (
        "Invalid schema for function 'x': the description \"maximum context length is 9000 tokens\" is not allowed",
        None,
    ),
    ("It said `the maximum context length is 9000 tokens`.", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), IN_DETAIL)
def test_details_of_an_overflow_are_read(text: str, expected: Overflow | None) -> None:
    """These are the answer's share, large units, and a provider's quotation of a request."""
    assert read_overflow((text,), ()) == expected


LEADS = [
    "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's ",
    "Upstream error from Novita: This model's ",
    "Provider returned error: This endpoint's ",
    "400 This model's ",
    "HTTP 400: This model's ",
    "Value error, This model's ",
    "messages: ",
    "messages.1.content.0: ",
    "InternalError.Algo.InvalidParameter: ",
    "<400> InternalError.Algo.InvalidParameter: ",
    "Request failed: ",
]


@pytest.mark.parametrize("lead", LEADS)
def test_words_behind_a_known_lead_begin_the_text(lead: str) -> None:
    """They count for other tenants. Any other sentence before them leaves them to their own tenant."""
    said = "maximum context length is 8192 tokens"

    assert read_overflow((lead + said,), ()) == Overflow(8_192)
    assert read_overflow((f"You said: {lead}{said}",), ()) == Overflow(8_192, inside_text=True)


def test_an_overflow_in_the_words_of_the_request_is_marked() -> None:
    """It is not marked if the same text reports it in other words too."""
    said = "maximum context length is 8192 tokens"
    other = "maximum context length is 9000 tokens"
    request = RequestWords(said)

    assert read_overflow((said,), (), request) == Overflow(8_192, in_request=True)
    assert read_overflow((f"No: {said}",), (), request) == Overflow(8_192, inside_text=True, in_request=True)
    assert read_overflow((f"{said}. {other}",), (), request) == Overflow(9_000, inside_text=True)


def test_too_many_bytes_are_an_overflow_of_bytes() -> None:
    """Anthropic's code is for a body over 32 MB, unless the words are about tokens."""
    assert read_overflow(("Request exceeds the maximum size",), ("request_too_large",)) == Overflow(
        of_bytes=True, coded=True
    )
    assert read_overflow(
        ("prompt is too long",), ("request_too_large", "context_length_exceeded")
    ) == Overflow(coded=True)


def test_every_overflow_row_is_met() -> None:
    """No pattern is unused."""
    assert [row.provider for row in ROWS if not any(row.says.search(text) for text, *_ in OVERFLOWS)] == []


@pytest.mark.parametrize(
    "text",
    [
        "ThrottlingException: Too many tokens, please wait before trying again. prompt is too long",
        "Rate limit reached: maximum context length is 8192 tokens",
        "429: prompt is too long",
        "string_above_max_length: maximum context length is 40 tokens",
        "Invalid 'tool_calls[0].id': string too long. Expected a string with maximum length 40",
        "Limit 30000 tokens per min. Please reduce the length of the messages.",
        "Quota exceeded: input token count exceeds the maximum",
    ],
)
def test_throttling_is_no_overflow(text: str) -> None:
    """A shorter conversation does not help against a rate limit."""
    assert read_overflow((text,), ()) is None


def test_a_quoted_request_is_ignored() -> None:
    """FastAPI's servers send the input back. A user's words are not the provider's."""
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
    """A gateway answers 500, with the inner status in its body."""
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
    """The inner error stands behind names of exceptions, as text or as the ``repr`` of its bytes."""
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
    """A client's JSON in a provider's sentence is not the provider's error."""
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
    """A short quota returns while a client waits."""
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
    """No body and no header raises, and all values are in bounds."""
    error = read_error(429, Evidence(429, {"retry-after": header, "retry-after-ms": header}, body), now=NOW)

    assert error.retry_after_s is None or 0 <= error.retry_after_s <= 366 * 86_400
    assert error.status is None or 400 <= error.status < 600


def test_a_body_of_brackets_is_bounded() -> None:
    """Neither depth nor size makes reading slow."""
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


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_to_read_is_linear_in_the_text(piece: str) -> None:
    """Errors are read between the events of other clients. Repeated text does not make it slow."""
    text = piece * (20_000 // len(piece))
    bodies: list[Any] = [[{"message": text, "retryDelay": text}] * 12]
    bodies += [f"retry in {text}'", f"{text}{{}}'", f"Error{text}{{}}", f"'{{{text}'", [text] * 12]
    raw = [json.dumps(body).encode() if isinstance(body, list) else body.encode() for body in bodies]

    # At most 0.1 on a quiet machine. It is 3 to 15 with an expression that takes quadratic time.
    assert cpu_seconds(lambda: [read(body, 400) for body in raw], bound=1) < 1


def test_a_bounded_part_is_searched_for_an_overflow() -> None:
    """The words that count stand near the top."""
    said = "prompt is too long"

    assert read_overflow(["x"] * 15 + [said], ()) == Overflow()
    assert read_overflow(["x"] * 16 + [said], ()) is None
    assert read_overflow(["x" * 12_000, said], ()) == Overflow()
    assert read_overflow(["x" * 12_000, "x" * 8_000, said], ()) is None
    assert read_overflow(["x" * 25_000, said], ()) is None
