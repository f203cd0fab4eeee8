"""Tests that the place of a fault is read as a path of fields, and never as a text of the client."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.error_place import place_of


@pytest.mark.parametrize(
    ("loc", "path"),
    [
        (["body", "stream_options"], "body.stream_options"),
        (["body", "messages", 1, "tool", "name"], "body.messages.1.tool.name"),
        (["body", "the rate limit per day", "x"], "body"),
        (["body", "x" * 65], "body"),
        (["body", True], "body"),
        (["body", None], "body"),
        (["a"] * 20, ".".join(["a"] * 12)),
        (["your api key"], ""),
        ([], ""),
        ("body", ""),
        (None, ""),
    ],
    ids=repr,
)
def test_path_ends_before_a_piece_that_is_no_field(loc: Any, path: str) -> None:
    """The path of a fault ends before the first piece that is no field name or index, and after twelve pieces."""
    assert place_of(loc) == path
