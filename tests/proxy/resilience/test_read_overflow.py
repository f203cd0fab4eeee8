"""Tests of reading overflow errors: numbers, guards against other errors, and words of the request."""

from __future__ import annotations

import pytest

from proxy.resilience.read_overflow import Overflow, read_overflow
from proxy.resilience.request_words import RequestWords

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
    """The answer's share and large units are read. A sentence that only quotes an overflow is not an overflow."""
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
    """Words after a known lead count for all tenants.

    After any other words, they count only for the tenant that got the error.
    """
    said = "maximum context length is 8192 tokens"

    assert read_overflow((lead + said,), ()) == Overflow(8_192)
    assert read_overflow((f"You said: {lead}{said}",), ()) == Overflow(8_192, inside_text=True)


def test_an_overflow_in_the_words_of_the_request_is_marked() -> None:
    """An overflow in the request's words is marked, unless the error also reports an overflow in other words."""
    said = "maximum context length is 8192 tokens"
    other = "maximum context length is 9000 tokens"
    request = RequestWords(said)

    assert read_overflow((said,), (), request) == Overflow(8_192, in_request=True)
    assert read_overflow((f"No: {said}",), (), request) == Overflow(8_192, inside_text=True, in_request=True)
    assert read_overflow((f"{said}. {other}",), (), request) == Overflow(9_000, inside_text=True)


def test_too_many_bytes_are_an_overflow_of_bytes() -> None:
    """The code ``request_too_large`` means too many bytes, unless the error's words are about tokens."""
    assert read_overflow(("Request exceeds the maximum size",), ("request_too_large",)) == Overflow(
        of_bytes=True, coded=True
    )
    assert read_overflow(
        ("prompt is too long",), ("request_too_large", "context_length_exceeded")
    ) == Overflow(coded=True)


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
def test_throttling_is_not_read_as_an_overflow(text: str) -> None:
    """A shorter conversation does not help against a rate limit."""
    assert read_overflow((text,), ()) is None


def test_a_bounded_part_is_searched_for_an_overflow() -> None:
    """Only the first texts and characters are searched, since the words that count stand there."""
    said = "prompt is too long"

    assert read_overflow(["x"] * 15 + [said], ()) == Overflow()
    assert read_overflow(["x"] * 16 + [said], ()) is None
    assert read_overflow(["x" * 12_000, said], ()) == Overflow()
    assert read_overflow(["x" * 12_000, "x" * 8_000, said], ()) is None
    assert read_overflow(["x" * 25_000, said], ()) is None
