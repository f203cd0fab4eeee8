"""Tests of where a provider's own sentence begins in an error text."""

from __future__ import annotations

import pytest

from proxy.resilience.error_prefix import begin_of


@pytest.mark.parametrize(
    "prefix",
    [
        "",
        " \n",
        "litellm.BadRequestError: OpenAIException - ",
        "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - ",
        "litellm.BadRequestError: VertexAIException BadRequestError - ",
        "Error code: 400 - ",
        "<400> InternalError.Algo.InvalidParameter: ",
        "An error occurred (ValidationException) when calling the InvokeModel operation: ",
        "Input validation error: ",
        "Invalid request: ",
        "invalid params, ",
    ],
)
def test_prefixes_are_skipped(prefix: str) -> None:
    """Names of exceptions and labels before the provider's sentence are skipped."""
    assert begin_of(prefix + "This is it.") == len(prefix)


@pytest.mark.parametrize(
    "text", ["Your input: Error", "Terrible: x", "Error while reading: x", "'Error: x'", "x" * 1_000]
)
def test_other_words_before_a_colon_are_not_skipped(text: str) -> None:
    """Other words before a colon are the provider's own words or a quotation."""
    assert begin_of(text) == 0
