"""Tests of the names in a file that is not validated so far."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.config.raw_names import is_served, named_entries, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        ("os.environ/NAME", "b"),
        ("os.environ/UNSET", None),
        (3, None),
        (None, None),
        (["a"], None),
    ],
)
def test_text_is_resolved_and_other_values_have_none(value: object, text: str | None) -> None:
    """A reference to a variable stands for its value. A variable that is not set has no text."""
    assert text_of(value, {"NAME": "b"}) == text


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ({"list": [{"name": "a"}, {"name": 3}, "x", {}, {"name": "b"}]}, [(0, "a"), (4, "b")]),
        ({"list": {"name": "a"}}, []),
        ({}, []),
        ([], []),
        (None, []),
    ],
)
def test_entries_keep_their_positions(section: Any, found: list[tuple[int, str]]) -> None:
    """Entries of a wrong shape are skipped, and count in the positions of the others."""
    assert list(named_entries(section, "list", "name", {})) == found


@pytest.mark.parametrize(
    ("name", "served"),
    [
        ("a", True),
        ("b", False),
        ("gemini/x", True),
        ("gemini/*", True),
        ("gemini/", False),
        ("gemini", False),
    ],
)
def test_name_is_served_by_itself_or_by_a_wildcard(name: str, served: bool) -> None:
    """A wildcard needs at least one character in the place of its star."""
    assert is_served(name, {"a", "gemini/*"}) == served
