"""Tests of the types of the fields of a request to Gemini."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.field_types import (
    check_field,
    check_size,
    read_flag,
    read_number,
    read_text,
    read_whole,
    refuse_field,
)


def refused(read: Any, *given: Any) -> InvalidRequest:
    """Return the error that *read* raises."""
    with pytest.raises(InvalidRequest) as caught:
        read(*given)
    return caught.value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools", "x"),
        ("tools", 1),
        ("toolConfig", []),
        ("generationConfig", [1]),
        ("systemInstruction", [1]),
        ("cachedContent", {}),
        ("safetySettings", "x"),
        ("labels", []),
        ("store", 1),
        ("serviceTier", 1.5),
        ("model", 1),
        ("tools", [{}] * 2_049),
    ],
)
def test_field_of_the_wrong_type_is_refused_with_its_path(name: str, value: Any) -> None:
    """The message has the path and no value."""
    error = refused(check_field, name, value)

    assert error.param == name
    assert str(error).startswith(f"'{name}' ")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tools", []),
        ("tools", {}),
        ("systemInstruction", "x"),
        ("systemInstruction", {}),
        ("safetySettings", {}),
        ("safetySettings", []),
        ("contents", 1),
    ],
)
def test_field_may_have_each_of_its_types(name: str, value: Any) -> None:
    """One object stands for a list of one. Contents are checked by themselves."""
    check_field(name, value)


@pytest.mark.parametrize(("value", "number"), [(1, 1), (0.5, 0.5), ("0.5", 0.5), ("-1", -1), ("1e-1", 0.1)])
def test_number_may_be_quoted(value: Any, number: float) -> None:
    """Proto JSON takes both forms."""
    assert read_number("a", value) == number


@pytest.mark.parametrize(
    "value",
    [
        "",
        "x",
        "1" * 33,
        "²",
        True,
        None,
        [],
        {},
        float("nan"),
        float("inf"),
        "NaN",
        "Infinity",
        10**400,
        2**53,
    ],
)
def test_other_values_are_no_numbers(value: Any) -> None:
    """Values that no provider's parser takes, and numbers that lose digits, are refused."""
    assert refused(read_number, "a.b", value).param == "a.b"
    assert refused(read_whole, "a.b", value, 0).param == "a.b"


@pytest.mark.parametrize("value", [3, 3.0, "3", "3.0"])
def test_whole_number_may_have_a_fraction_of_zero(value: Any) -> None:
    """A client in JavaScript writes 3, and others 3.0."""
    number = read_whole("a", value, 1)

    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", [3.5, "3.5", 0, -1, 9, "9"])
def test_whole_number_has_its_limits(value: Any) -> None:
    """The error names the limits."""
    assert str(refused(read_whole, "a", value, 1, 8)) == "'a' must be a whole number from 1 to 8."


def test_limit_without_a_most_value_is_named_by_its_least() -> None:
    """A limit that no client reaches is not named."""
    assert str(refused(read_whole, "a", 0, 1)) == "'a' must be a whole number from 1 on."


def test_texts_and_flags_are_of_their_types() -> None:
    """Nothing is converted."""
    assert (read_text("a", ""), read_flag("a", False)) == ("", False)
    assert str(refused(read_text, "a", 1)) == "'a' must be a string."
    assert str(refused(read_flag, "a", 1)) == "'a' must be a boolean."


@pytest.mark.parametrize(
    ("value", "parameter"), [(["x"] * 1_025, "stop"), ([[0] * 65_537], "response_format")]
)
def test_value_of_too_many_entries_is_refused_with_its_own_path(value: Any, parameter: str) -> None:
    """The limits are those of chats."""
    error = refused(check_size, "generationConfig.a", value, parameter)

    assert error.param == "generationConfig.a"
    assert parameter not in str(error)
    check_size("a", value[:1] if parameter == "stop" else [], parameter)


def test_refusal_ends_with_a_full_stop() -> None:
    """The words follow the path."""
    assert str(refused(refuse_field, "a[1].b", "is there")) == "'a[1].b' is there."
