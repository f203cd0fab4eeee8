"""Tests of the arguments of a call as an object."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.call_input import read_input


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("  ", {}),
        ("{'a': True,}", {"a": True}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("[1]", {}),
        ('{"a": ', {}),
    ],
)
def test_arguments_are_an_object_always(arguments: str, expected: dict[str, Any]) -> None:
    """Other notations are mended, where their meaning is certain."""
    assert read_input(arguments) == expected
