"""Tests that the end of a JSON object is found where its text comes in pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.answers.object_end import ObjectEnd

TEXTS = st.text(alphabet='ab{}[]",:\\\n é😀', max_size=12)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


OBJECTS = st.dictionaries(TEXTS, VALUES, max_size=4)


def cut(text: str, places: list[int]) -> list[str]:
    """Return *text* in pieces, cut at *places*."""
    ends = sorted({min(place, len(text)) for place in places} | {len(text)})
    return [text[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]


BEHIND = st.sampled_from(["", " ", "}", '{"a":1}', "x", '"', "\\"])


@settings(max_examples=100)
@given(OBJECTS, st.booleans(), BEHIND, st.lists(st.integers(0, 200)))
def test_the_end_of_an_object_is_found_in_any_pieces(
    value: dict[str, Any], escaped: bool, behind: str, places: list[int]
) -> None:
    """For any split, the end of an object is found where a parser finds it. Brackets in strings are text."""
    written = json.dumps(value, ensure_ascii=escaped)
    end = ObjectEnd()
    seen = 0
    found = None
    for piece in cut(written + behind, places):
        at = end.find_end(piece)
        if at is not None:
            found = seen + at
            break
        seen += len(piece)

    assert end.found
    assert found == len(written)


@pytest.mark.parametrize("value", [{"a": [[]] * 40_000}, {"a": ['"]}\\'] * 20_000}, {"a": "\\" * 100_001}])
def test_the_end_of_a_long_object_is_found(value: dict[str, Any]) -> None:
    """The end of an object of over 100,000 characters is found."""
    written = json.dumps(value, separators=(",", ":"))
    end = ObjectEnd()

    assert end.find_end(written[:-1]) is None
    assert end.find_end("} and more") == 1
