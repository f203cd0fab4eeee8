"""Arguments that are made to be slow to mend. The steps grow with the text, up to the limit."""

from __future__ import annotations

import pytest

from proxy.answers.tool_calls.mend_arguments import mend_notation, unwrap_encoded
from tests.support.counted_steps import count_steps

PIECES = ('{"a":', "{'a':", '"', "'", '"\\', ",", "\"a'b", " \n", "ab ", "[{", "\\'", "{'a': \"", "{a:1,")
"""Unclosed brackets, quotes within quotes, and commas alone."""


def steps_for(piece: str, size: int) -> int:
    """Return the steps that it takes to mend *size* characters of *piece*, bare, in braces and in quotes."""
    text = (piece * size)[:size]

    def work() -> None:
        mend_notation(text)
        mend_notation("{" + text + "}")
        unwrap_encoded('"' + text)

    return count_steps(work).total()


@pytest.mark.parametrize("piece", PIECES)
def test_steps_grow_with_the_text(piece: str) -> None:
    """Four times the text takes about four times the steps at most."""
    assert steps_for(piece, 8_000) <= 4.6 * steps_for(piece, 2_000) + 1_000
