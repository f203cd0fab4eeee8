"""Draws the parts of generated answers on OpenAI's and Gemini's wires: texts, arguments, cuts, framings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from tests.support.quirks.framing import Framing

NAMES = st.sampled_from(["f", "g", "get_weather"])

_values = st.one_of(
    st.sampled_from(["", "A", "}", '"', "\\", "{}", '{"a":1}', "é日", "\U0001f600", "a\n\tb", "}{"]),
    st.integers(-3, 2**53),
    st.sampled_from([None, True, 1.5, [], {}, ["}"], {"k": [{}, "}"]}]),
)
ARGUMENTS: st.SearchStrategy[dict[str, Any]] = st.dictionaries(
    st.sampled_from(["a", "city", "path", "x y", "é"]), _values, max_size=3
)

_words = st.sampled_from(
    ["Good day.", "a", "Zürich", "日本", "\U0001f600", "x\ny", "data: {", "}}", '"', "[DONE]"]
)
TEXTS = st.lists(_words, max_size=3).map("".join)

FRAMINGS = st.builds(
    Framing,
    newline=st.sampled_from(["\n", "\r\n", "\r"]),
    space=st.booleans(),
    mark=st.booleans(),
    comments=st.booleans(),
    fields=st.booleans(),
    lines=st.booleans(),
    escaped=st.booleans(),
    last_blank=st.booleans(),
)


@st.composite
def distinct_calls(draw: st.DrawFn, most: int = 3) -> list[tuple[str, dict[str, Any]]]:
    """Draw distinct calls, since two equal calls could be one call that was sent again."""
    found = draw(st.lists(st.tuples(NAMES, ARGUMENTS), max_size=most))
    return [one for at, one in enumerate(found) if one not in found[:at]]


def cut(draw: st.DrawFn, text: str, most: int = 3) -> list[str]:
    """Cut a text at random positions into non-empty parts. An empty text has no parts."""
    places = draw(st.lists(st.integers(0, len(text)), max_size=most))
    parts = [text[start:end] for start, end in pairwise([0, *sorted(places), len(text)])]
    return [part for part in parts if part]
