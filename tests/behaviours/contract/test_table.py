"""Tests that each known quirk keeps the contract and its meaning, wherever the bytes are cut."""

from __future__ import annotations

import pytest

from tests.behaviours.contract.cutting import in_bytes, told_apart, two_ways
from tests.behaviours.contract.judging import complaints
from tests.support.covering_cases import share_of
from tests.support.quirks.meaning import Row
from tests.support.quirks.table import ROWS
from tests.support.replay import replay, replay_whole

EVERY_ROW = pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
WHOLE_ROWS = {name: row for name, row in ROWS.items() if row.whole is not None}


@EVERY_ROW
@pytest.mark.parametrize("usage_asked", [False, True], ids=["", "usage"])
def test_uncut_stream_keeps_the_contract(row: Row, usage_asked: bool) -> None:
    replayed = replay([row.body], row.model, include_usage=usage_asked, taken=row.taken)

    assert not complaints(row, replayed, usage_asked=usage_asked)


@EVERY_ROW
def test_stream_means_the_same_wherever_it_is_cut(row: Row) -> None:
    """A stream that is cut in two at any byte, or into single bytes, gives the client the same events.

    ``make test`` cuts each stream at a third of its bytes, and ``make test-deep`` at all of them.
    """
    uncut = replay([row.body], row.model, include_usage=True, taken=row.taken)
    wanted = (told_apart(uncut.raw), uncut.refused)

    for pieces in (in_bytes(row.body), *share_of(list(two_ways(row.body)), len(row.body))):
        cut = replay(pieces, row.model, include_usage=True, taken=row.taken)
        assert (told_apart(cut.raw), cut.refused) == wanted, f"cut behind {pieces[0]!r}"


@pytest.mark.parametrize("row", WHOLE_ROWS.values(), ids=WHOLE_ROWS)
def test_whole_answer_keeps_the_contract(row: Row) -> None:
    assert row.whole is not None

    assert not complaints(row, replay_whole(row.whole, row.model, row.taken), usage_asked=True, whole=True)
