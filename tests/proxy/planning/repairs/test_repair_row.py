"""Tests of which of a provider's errors a row of the repair table fits."""

from __future__ import annotations

import pytest

from proxy.planning.repairs.draft import Draft
from proxy.planning.repairs.repair_row import Learning, Row
from proxy.resilience.read_error import ProviderError
from tests.proxy.planning.repairs.asking import refusal


def _unchanged(draft: Draft, error: ProviderError) -> Draft:
    return draft


BARE = Row("fault", _unchanged, "a report", says=("one phrase", "another_code"), learning=Learning.NEVER)
BESIDE = Row(
    "fault",
    _unchanged,
    "a report",
    says=("one phrase",),
    learning=Learning.NEVER,
    beside=("a place", "its other name"),
)


@pytest.mark.parametrize(
    ("row", "words", "fits"),
    [
        (BARE, "This has One Phrase in it.", True),
        (BARE, "This has one other phrase.", False),
        (BESIDE, "One phrase at a place.", True),
        (BESIDE, "One phrase at its other name.", True),
        (BESIDE, "One phrase alone.", False),
        (BESIDE, "At a place.", False),
    ],
)
def test_a_row_fits_one_of_its_phrases_beside_one_of_its_places(row: Row, words: str, fits: bool) -> None:
    """A row fits an error with one of its phrases and one of its places, whatever the case of their letters."""
    assert row.fits(refusal(words)) is fits


def test_a_row_fits_a_code() -> None:
    """A row fits an error whose code, and not its message, holds the row's phrase."""
    assert BARE.fits(refusal("Bad request.", type="another_code"))


def test_every_row_decides_if_its_repair_is_learned() -> None:
    """The column has no default, so that nobody adds a row without the decision."""
    with pytest.raises(TypeError, match="learning"):
        Row("fault", _unchanged, "a report", says=("one phrase",))  # type: ignore[call-arg]  # the very fault
