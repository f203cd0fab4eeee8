"""Overflow errors of providers: their numbers, the guards, and words of the request."""

from __future__ import annotations

import pytest

from proxy.resilience.read_overflow import ROWS, Overflow, read_overflow
from proxy.resilience.request_words import RequestWords

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


def test_a_bounded_part_is_searched_for_an_overflow() -> None:
    """The words that count stand near the top."""
    said = "prompt is too long"

    assert read_overflow(["x"] * 15 + [said], ()) == Overflow()
    assert read_overflow(["x"] * 16 + [said], ()) is None
    assert read_overflow(["x" * 12_000, said], ()) == Overflow()
    assert read_overflow(["x" * 12_000, "x" * 8_000, said], ()) is None
    assert read_overflow(["x" * 25_000, said], ()) is None
