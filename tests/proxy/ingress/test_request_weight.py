"""Tests of the cost of a request."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.request_weight import request_weight
from sanitizers.outline import outline_of
from tests.support.builders import assistant, call, user

CALLS = [user("a"), assistant(calls=[call("c1", "f"), call("c2", "f")])]
PARTS = [user([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])]


@pytest.mark.parametrize(
    ("body", "parsing", "messages", "weight"),
    [
        (b"x" * 9_000, 0, [user("a")], 9_000),
        (b"{}", 40_000, [user("a")], 10_000),
        (b"{}", 0, [user("a"), assistant("b"), user("c")], 3 * 1_024),
        (b"{}", 0, CALLS, 2 * 1_024 + 2 * 512),
        (b"{}", 0, PARTS, 1_024 + 2 * 512),
    ],
)
def test_most_costly_part_counts(body: bytes, parsing: int, messages: list[Any], weight: int) -> None:
    """A small body may hold many calls, and a large one a single text."""
    outline = outline_of(messages)
    assert outline is not None

    assert request_weight(body, parsing, outline) == weight
