"""Tests that known and generated quirks keep the contract over real sockets, on the direct transport."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from tests.behaviours.contract.cutting import in_bytes
from tests.behaviours.contract.drawn import at_random, drawn
from tests.behaviours.contract.serving import TOOLS, all_complaints, asking
from tests.support.quirks.gemini.generated import gemini_rows
from tests.support.quirks.openai.generated import openai_rows
from tests.support.quirks.table import ROWS

pytestmark = pytest.mark.usefixtures("log_text")  # a line for each of a thousand requests

_ALL = list(ROWS.values())
_WHOLE = [row for row in _ALL if row.whole is not None]
_MENDED = "arguments in Python's words"
"""The one row whose answer self-correction changes, since its arguments are no JSON."""


async def test_streams_keep_the_contract_over_sockets() -> None:
    """Streams that a provider sends byte by byte keep the contract."""
    async with asking("direct", in_bytes) as asked:
        assert await all_complaints(asked, _ALL, stream=True) == {}


async def test_whole_answers_keep_the_contract_over_sockets() -> None:
    async with asking("direct", in_bytes) as asked:
        assert await all_complaints(asked, _WHOLE, stream=False) == {}


async def test_streams_with_checked_calls_keep_the_contract() -> None:
    """With self-correction of streams, every row keeps the contract except the one whose arguments it corrects."""
    async with asking("direct", at_random, self_correction="always") as asked:
        found = await all_complaints(asked, _ALL, stream=True, tools=TOOLS)

    assert found.keys() == {_MENDED}


async def test_whole_answers_with_checked_calls_keep_the_contract() -> None:
    """With self-correction, every whole answer keeps the contract except the one whose arguments it corrects."""
    async with asking("direct", at_random, self_correction="whole") as asked:
        found = await all_complaints(asked, _WHOLE, stream=False, tools=TOOLS)

    assert found.keys() == {_MENDED}


async def test_generated_streams_keep_the_contract_over_sockets() -> None:
    """Random combinations of quirks, cut at random positions, keep the contract."""
    rows = drawn(st.one_of(openai_rows(), gemini_rows()), 150)
    async with asking("direct", at_random) as asked:
        assert await all_complaints(asked, rows, stream=True) == {}
