"""Tests that the rows of the table of dialects hold only words that the rules know."""

from __future__ import annotations

import pytest

from proxy.upstream.dialects import table
from proxy.upstream.dialects.dialect import CHOICES, EFFORTS, FORMATS, Dialect

ROWS = [value for value in vars(table).values() if isinstance(value, Dialect)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row_holds_known_kinds_of_choices_formats_and_efforts(row: Dialect) -> None:
    """A misspelled kind would never match. The rule that finds the nearest effort needs the efforts in order."""
    assert row.choices <= CHOICES
    assert row.formats | row.formats_with_tools <= FORMATS
    assert list(row.efforts or ()) == [effort for effort in EFFORTS if effort in (row.efforts or ())]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_parameter_is_not_both_dropped_and_carried(row: Dialect) -> None:
    """A parameter in both sets would be reported as dropped and allowed through litellm."""
    assert not row.dropped & row.carried


def test_each_row_has_a_name_of_its_own() -> None:
    """Reports show a row's name, so every name is unique."""
    assert len({row.name for row in ROWS}) == len(ROWS)
