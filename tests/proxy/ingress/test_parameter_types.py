"""Parameters are checked by type before anything is sent."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.parameter_types import Count, Flag, Number, Text, check_type, kinds_of

KINDS = kinds_of({"count": Count, "flag": Flag, "number": Number, "stop": list[Text], "text": Text})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", 1),
        ("flag", False),
        ("number", 1),
        ("number", 0.5),
        ("stop", []),
        ("stop", ["a"]),
        ("text", ""),
    ],
)
def test_value_of_the_right_type_passes(name: str, value: Any) -> None:
    """A whole number is a number as well."""
    check_type(name, value, KINDS[name])


@pytest.mark.parametrize(
    ("name", "value", "param"),
    [
        ("count", 0, "count"),
        ("count", True, "count"),
        ("count", "1", "count"),
        ("count", 1.0, "count"),
        ("flag", 1, "flag"),
        ("flag", "true", "flag"),
        ("number", "1", "number"),
        ("number", float("inf"), "number"),
        ("text", 1, "text"),
        ("stop", ["a", 2], "stop[1]"),
        ("stop", ["a"] * 1_025, "stop"),
    ],
)
def test_value_of_another_type_is_refused_and_not_converted(name: str, value: Any, param: str) -> None:
    """The error names the parameter, and the entry of a list."""
    with pytest.raises(InvalidRequest) as refused:
        check_type(name, value, KINDS[name])

    assert refused.value.param == param
    assert refused.value.message.startswith(f"Invalid value for '{param}': ")


def test_error_does_not_quote_the_value() -> None:
    """The value is a client's text."""
    with pytest.raises(InvalidRequest) as refused:
        check_type("count", "zzmadeup", KINDS["count"])

    assert "zzmadeup" not in refused.value.message
