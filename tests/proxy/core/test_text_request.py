"""Tests of the texts in a request for embeddings or for a text completion."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.text_request import MAX_TEXTS, MAX_TOKENS, check_inputs, separate_inputs


@pytest.mark.parametrize(
    ("value", "texts"),
    [("a", ["a"]), (["a", "b"], ["a", "b"]), ([1, 2], [[1, 2]]), ([[1], [2, 3]], [[1], [2, 3]])],
)
def test_each_text_is_a_string_or_tokens(value: Any, texts: list[Any]) -> None:
    """Each text is a string or a list of token ids, and a single list of numbers is one text."""
    check_inputs("input", value)

    assert separate_inputs(value) == texts


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (None, "input"),
        ([], "input"),
        (["a", 1], "input[1]"),
        (["a", ["a"]], "input[1]"),
        ([1, "a"], "input[1]"),
        ([True], "input[0]"),
        ([-1], "input[0]"),
        ([[1], []], "input[1]"),
        ([[1], [2, 1.5]], "input[1][1]"),
        (["a"] * (MAX_TEXTS + 1), "input"),
        ([1] * (MAX_TOKENS + 1), "input"),
    ],
)
def test_illegal_input_is_refused_with_its_place(value: Any, place: str) -> None:
    """Illegal input is refused with the path of the wrong value."""
    with pytest.raises(InvalidRequest) as refused:
        check_inputs("input", value)

    assert refused.value.param == place
