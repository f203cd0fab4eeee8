"""Tests that generated provider streams with random quirks, cut anywhere, keep the contract and their meaning."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.behaviours.contract.cutting import at_places, in_bytes, told_apart
from tests.behaviours.contract.judging import complaints
from tests.support.quirks.gemini.generated import gemini_rows
from tests.support.quirks.meaning import Row
from tests.support.quirks.openai.generated import openai_rows
from tests.support.replay import replay

_PLACES = st.lists(st.integers(1, 999), max_size=8)
_SOME = settings(max_examples=max(10, settings().max_examples // 3))


@_SOME
@given(openai_rows(), _PLACES, st.booleans())
def test_generated_openai_streams_keep_the_contract_wherever_they_are_cut(
    row: Row, places: list[int], usage_asked: bool
) -> None:
    """Streams on OpenAI's wire, also from Gemini models, keep the contract however they are cut."""
    check(row, places, usage_asked)


@_SOME
@given(gemini_rows(), _PLACES, st.booleans())
def test_generated_gemini_streams_keep_the_contract_wherever_they_are_cut(
    row: Row, places: list[int], usage_asked: bool
) -> None:
    check(row, places, usage_asked)


def check(row: Row, places: list[int], usage_asked: bool) -> None:
    """Replay a stream uncut, byte by byte and in random pieces.

    All results must be the same, so that only one is judged.
    """
    uncut = replay([row.body], row.model, include_usage=usage_asked)
    for pieces in (in_bytes(row.body), at_places(row.body, places)):
        cut = replay(pieces, row.model, include_usage=usage_asked)
        assert (told_apart(cut.raw), cut.refused) == (told_apart(uncut.raw), uncut.refused)
    assert not complaints(row, uncut, usage_asked=usage_asked)
