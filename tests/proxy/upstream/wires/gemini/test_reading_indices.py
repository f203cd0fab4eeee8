"""Tests of the candidates' indexes: missing indexes are filled in, and invalid or repeated indexes are faults."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import StreamReader, read_answer

NONE = object()
"""Stands for a candidate without an index."""


def candidates(*indices: Any) -> dict[str, Any]:
    """Return an answer whose candidates have the texts a, b and c."""
    return {
        "candidates": [
            {"content": {"parts": [{"text": "abc"[at]}]}, "finishReason": "STOP"}
            | ({} if index is NONE else {"index": index})
            for at, index in enumerate(indices)
        ]
    }


@pytest.mark.parametrize(
    ("indices", "texts"),
    [
        ((NONE,), {0: "a"}),
        ((NONE, NONE), {0: "a", 1: "b"}),
        ((None, 1), {0: "a", 1: "b"}),
        ((0, NONE, NONE), {0: "a", 1: "b", 2: "c"}),
        ((1, NONE), {0: "b", 1: "a"}),
        ((NONE, 0), {0: "b", 1: "a"}),
        ((2, NONE, NONE), {0: "c", 1: "b", 2: "a"}),
        ((NONE, 0, NONE), {0: "b", 1: "a", 2: "c"}),
        ((7,), {7: "a"}),
    ],
)
def test_candidate_without_an_index_gets_its_place(indices: tuple[Any, ...], texts: dict[int, str]) -> None:
    """A candidate without an index gets its position, or the first free index if its position is taken."""
    whole = read_answer(candidates(*indices), model="m")["choices"]
    reader = StreamReader("m")
    chunks = reader.feed(candidates(*indices)) + reader.close()
    said: dict[int, str] = {}
    for choice in (choice for chunk in chunks for choice in chunk["choices"]):
        said[choice["index"]] = said.get(choice["index"], "") + choice["delta"].get("content", "")

    assert {choice["index"]: choice["message"]["content"] for choice in whole} == texts
    assert said == texts


@pytest.mark.parametrize(
    "indices", [(True,), (-1,), ("0",), (0.0,), ([],), ({},), (2**31,), (0, 0), (1, NONE, 1), (NONE, True)]
)
def test_invalid_or_repeated_index_is_a_fault(indices: tuple[Any, ...]) -> None:
    """An invalid or repeated index is a fault, since two candidates' texts would be mixed."""
    with pytest.raises(UpstreamFault, match="same index"):
        read_answer(candidates(*indices), model="m")
    with pytest.raises(UpstreamFault, match="same index"):
        StreamReader("m").feed(candidates(*indices))


def test_single_candidate_without_an_index_is_the_first() -> None:
    """In an event, a single candidate without an index is the first candidate. JSON leaves out an index of zero."""
    reader = StreamReader("m")

    seen = [
        (choice["index"], choice["delta"])
        for index in (NONE, 1, NONE)
        for chunk in reader.feed(candidates(index))
        for choice in chunk["choices"]
    ]

    assert seen == [(0, {"content": "a"}), (1, {"content": "a"}), (0, {"content": "a"})]
