"""Tests of finding calls that the provider has sent twice."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.upstream.wires.gemini.native_calls import has_all_calls

CALL = {"functionCall": {"name": "f"}}
PIECE = {"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}
LATER = {"index": 0, "function": {"arguments": "{}"}}


def native(*candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an answer with the parts of each of *candidates*."""
    return {"candidates": [{"content": {"parts": parts}} for parts in candidates]}


@pytest.mark.parametrize(
    ("event", "calls", "is_whole"),
    [
        ({}, [], True),
        ({"candidates": None}, [], True),
        ({"candidates": [{}]}, [], True),
        (native([{"text": "a"}]), [], True),
        (native([{"text": "a"}]), [LATER], True),
        (native([CALL]), [PIECE], True),
        (native([CALL]), [LATER, PIECE], True),
        (native([CALL]), [LATER], False),
        (native([CALL]), [], False),
        (native([CALL, CALL]), [PIECE], False),
        (native([CALL], [CALL]), [PIECE, PIECE], True),
    ],
)
def test_calls_are_counted(event: dict[str, Any], calls: list[dict[str, Any]], is_whole: bool) -> None:
    """A later piece of a call begins none."""
    for name in ("delta", "message"):
        assert has_all_calls(event, [{name: {"tool_calls": calls}}]) is is_whole
