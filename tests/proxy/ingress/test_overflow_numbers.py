"""Tests of the numbers of an overflow, whoever reported it."""

from __future__ import annotations

import pytest

from proxy.core.errors import ContextTooLong, InvalidRequest, ProxyError, UpstreamFault
from proxy.core.failures import Evidence
from proxy.ingress.overflow_numbers import count_overflow, is_of_bytes, is_overflow
from proxy.ingress.token_numbers import NO_NUMBERS, TokenNumbers

GOOGLES = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
OWN = (
    "This model's maximum context length is 200000 tokens, 180000 of them for the prompt. "
    "However, your request comes "
)
NUMBERLESS = "This exceeds the context window."


def overflow(words: str, status: int = 400) -> UpstreamFault:
    """Return a provider's overflow, as it comes from the failure table."""
    fault = UpstreamFault(words, upstream_status=400, evidence=Evidence(status))
    fault.code = "context_length_exceeded"  # type: ignore[misc]  # the class has the usual one
    return fault


@pytest.mark.parametrize(
    ("error", "numbers", "requested", "limit"),
    [
        (overflow(GOOGLES), TokenNumbers(5, 6), 1_196_265, 1_048_575),
        (overflow(NUMBERLESS), TokenNumbers(70, 60), 70, 60),
        (overflow(NUMBERLESS), TokenNumbers(50, 60), 61, 60),
        (overflow(NUMBERLESS), TokenNumbers(50), 50, 49),
        (overflow(NUMBERLESS), NO_NUMBERS, 2, 1),
        (ContextTooLong(f"{OWN}to about 190000 tokens"), NO_NUMBERS, 190_000, 180_000),
    ],
)
def test_overflow_has_more_tokens_than_its_limit(
    error: ProxyError, numbers: TokenNumbers, requested: int, limit: int
) -> None:
    assert count_overflow(error, numbers) == TokenNumbers(requested, limit)


def test_limit_on_bytes_is_no_overflow() -> None:
    of_bytes = overflow("The body is too large.", 413)

    assert (is_of_bytes(of_bytes), is_overflow(of_bytes)) == (True, False)
    assert is_overflow(overflow(GOOGLES, 413))
    assert not is_overflow(InvalidRequest(GOOGLES))
