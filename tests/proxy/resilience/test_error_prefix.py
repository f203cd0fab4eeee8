"""The beginning of a provider's own sentence."""

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
    """These are names of exceptions, and labels."""
    assert begin_of(prefix + "This is it.") == len(prefix)


@pytest.mark.parametrize(
    "text", ["Your input: Error", "Terrible: x", "Error while reading: x", "'Error: x'", "x" * 1_000]
)
def test_other_words_before_a_colon_are_not_skipped(text: str) -> None:
    """Other words are the provider's, or quotations."""
    assert begin_of(text) == 0
