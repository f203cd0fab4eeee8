"""Tests of the generation and the methods that follow from a model's name."""

from __future__ import annotations

import pytest

from proxy.emulator.models import FAMILIES, GEMINI_3_6, Generation, describe_model, generation_of

CHAT_METHODS = ["generateContent", "streamGenerateContent", "countTokens"]


@pytest.mark.parametrize(
    ("name", "generation"),
    [
        ("gemini-2.5-pro", FAMILIES["gemini-2.5"]),
        ("models/gemini-2.5-pro", FAMILIES["gemini-2.5"]),
        ("gemini-3.5-flash", FAMILIES["gemini-3.5-flash"]),
        ("gemini-3.5-flash-001", FAMILIES["gemini-3.5-flash"]),
        ("gemini-3.5-flash-lite-001", FAMILIES["gemini-3.5-flash-lite"]),
        ("gemini-2.55-pro", GEMINI_3_6),
        ("gemini-9-ultra", GEMINI_3_6),
        ("gemini-", None),
        ("gemini-embedding-001", None),
        ("gpt-4o", None),
    ],
)
def test_longest_family_decides_the_generation(name: str, generation: Generation | None) -> None:
    """A Gemini chat model of no known family gets the rules of Gemini 3.6."""
    assert generation_of(name) is generation


@pytest.mark.parametrize(
    ("name", "methods"),
    [
        ("gemini-2.5-pro", CHAT_METHODS),
        ("models/gemini-embedding-001", ["embedContent", "batchEmbedContents"]),
    ],
)
def test_model_supports_chat_or_embeddings(name: str, methods: list[str]) -> None:
    """The name in a model's description has the prefix ``models/`` exactly once."""
    described = describe_model(name)

    assert described["name"] == f"models/{name.removeprefix('models/')}"
    assert described["supportedGenerationMethods"] == methods
