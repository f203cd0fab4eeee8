"""Tests of reading fields in both spellings."""

from __future__ import annotations

from typing import Any

import pytest

from sanitizers import Unrepairable
from sanitizers.native.gemini.spellings import (
    as_list,
    both_spellings,
    enum_word,
    key_of,
    path_of,
    read_object,
    snake_name,
)

SPELLINGS = both_spellings("functionCall", "text", "topK")
WORDS = ("UNSET", "ONE", "TWO")


@pytest.mark.parametrize(
    ("name", "snake"),
    [("functionCall", "function_call"), ("text", "text"), ("topK", "top_k"), ("_jsonSchema", "_json_schema")],
)
def test_snake_name_is_that_of_the_proto(name: str, snake: str) -> None:
    """Each capital begins a further word."""
    assert snake_name(name) == snake


def test_fields_have_their_names_in_camel_case() -> None:
    """Unknown fields and those of null are left out. Names of other forms are unknown."""
    given = {"function_call": {"top_k": 1}, "text": None, "topK": 0, "TopK": 2, "other": 3, "_text": 4}

    assert read_object(given, SPELLINGS) == {"functionCall": {"top_k": 1}, "topK": 0}


def test_field_in_both_spellings_is_refused() -> None:
    """Parsers differ in which of the two counts."""
    with pytest.raises(Unrepairable, match=r"^'a\.topK' is given twice") as caught:
        read_object({"topK": 1, "top_k": 1}, SPELLINGS, "a")
    assert caught.value.param == "a.topK"


def test_null_does_not_give_a_field_twice() -> None:
    """A null counts as missing."""
    assert read_object({"topK": None, "top_k": 1}, SPELLINGS) == {"topK": 1}


@pytest.mark.parametrize(
    ("holder", "key"), [({"topK": 1}, "topK"), ({"top_k": 1}, "top_k"), ({}, "topK"), ({"t": 1}, "topK")]
)
def test_key_is_the_clients_own(holder: dict[str, Any], key: str) -> None:
    """A missing field has the name of JSON."""
    assert key_of(holder, "topK") == key


def test_path_of_the_root_has_no_dot() -> None:
    """The fields of the body have their names alone."""
    assert (path_of("", "a"), path_of("b[1]", "a")) == ("a", "b[1].a")


@pytest.mark.parametrize(("value", "listed"), [(None, []), ([], []), ([1], [1]), ("a", ["a"]), ({}, [{}])])
def test_value_stands_for_a_list_of_one(value: Any, listed: list[Any]) -> None:
    """Google's own examples write one value in place of a list."""
    assert as_list(value) == listed


@pytest.mark.parametrize(
    ("value", "word"), [("ONE", "ONE"), ("one", "ONE"), ("oNe", "ONE"), (2, "TWO"), (0, "UNSET")]
)
def test_enum_has_words_of_any_case_and_numbers(value: Any, word: str) -> None:
    """A number is the place of its word."""
    assert enum_word(value, WORDS) == word


@pytest.mark.parametrize("value", ["three", "", 3, -1, True, 1.0, None, [], {}])
def test_other_value_is_no_word_of_an_enum(value: Any) -> None:
    """A boolean and a fraction are no numbers of an enum."""
    assert enum_word(value, WORDS) is None
