"""Tests of references to environment variables in the texts of a configuration."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from proxy.config import values
from proxy.config.references import Context, resolve_reference, variable_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("os.environ/A_1", "A_1"),
        ("${A_1}", "A_1"),
        ("x${A_1}", None),
        ("$A_1", None),
        ("${1A}", None),
        ("", None),
    ],
)
def test_only_a_whole_text_refers_to_a_variable(text: str, name: str | None) -> None:
    assert variable_of(text) == name


@pytest.mark.parametrize("text", ["os.environ/", "os.environ/a b", "os.environ/1A"])
def test_prefix_without_a_name_is_a_fault(text: str) -> None:
    with pytest.raises(PydanticCustomError, match="names no environment variable"):
        variable_of(text)


def test_value_of_a_variable_is_not_resolved_again() -> None:
    assert resolve_reference("${A}", {"A": "${B}", "B": "b"}) == "${B}"


def test_without_a_context_no_variable_is_set() -> None:
    """Without a context no variable is resolved from the process's environment."""
    with pytest.raises(ValidationError, match="the environment variable PATH is not set"):
        TypeAdapter(values.Text).validate_python("os.environ/PATH")


def test_empty_variable_is_a_fault_with_its_name() -> None:
    with pytest.raises(ValidationError, match="the environment variable A is empty"):
        TypeAdapter(values.Text).validate_python("${A}", context=Context({"A": " "}))
