"""Tests of the judges of embeddings and text completions in OpenAI's emulator: what they refuse and accept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.openai_emulator.completions import judge_completion
from tests.support.openai_emulator.embeddings import judge_embeddings

EMBED: dict[str, Any] = {"model": "text-embedding-3-small", "input": "a"}
WRITE: dict[str, Any] = {"model": "gpt-3.5-turbo-instruct", "prompt": "a"}


@pytest.mark.parametrize("given", ["a", ["a", "b"], [1, 2], [[1], [2]]])
def test_inputs_that_are_taken(given: Any) -> None:
    """A text, a list of tokens, and lists of either are accepted as inputs and as prompts."""
    assert judge_embeddings({**EMBED, "input": given, "encoding_format": "base64", "dimensions": 4}) is None
    assert judge_completion({**WRITE, "prompt": given}) is None


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"model": ""}, 400, "you must provide a model parameter"),
        ({"input": ""}, 400, "'$.input' is invalid."),
        ({"input": []}, 400, "'$.input' is invalid."),
        ({"input": ["a", ""]}, 400, "'$.input' is invalid."),
        ({"input": ["a"] * 2049}, 400, "'$.input' is invalid."),
        ({"input_type": "query"}, 400, "Unrecognized request argument supplied: input_type"),
        ({"model": "gpt-4.1"}, 403, "You are not allowed to generate embeddings from this model"),
    ],
)
def test_embeddings_that_are_refused(fields: dict[str, Any], status: int, words: str) -> None:
    """A refused embeddings request gets OpenAI's status and error text."""
    refusal = judge_embeddings({**EMBED, **fields})

    assert refusal is not None
    assert (refusal.status, refusal.message[: len(words)]) == (status, words)


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"model": None}, 400, "you must provide a model parameter"),
        ({"messages": []}, 400, "Unrecognized request argument supplied: messages"),
        ({"model": "gpt-4.1"}, 404, "This is a chat model"),
        ({"stream_options": {}}, 400, "The 'stream_options' parameter is only allowed"),
        ({"n": 3, "best_of": 2}, 400, "You requested that the server return more choices"),
    ],
)
def test_texts_that_are_refused(fields: dict[str, Any], status: int, words: str) -> None:
    """A refused text completion gets OpenAI's status and error text."""
    refusal = judge_completion({**WRITE, **fields})

    assert refusal is not None
    assert (refusal.status, refusal.message[: len(words)]) == (status, words)
