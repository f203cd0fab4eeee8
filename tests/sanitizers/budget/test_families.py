"""Tests that the rows of tokenizer families have plausible values, and the weights that were fitted."""

from __future__ import annotations

import math

import pytest

from sanitizers.budget.estimate import count_text
from sanitizers.budget.families import FAMILIES, Family
from sanitizers.budget.features import NAMES
from tests.sanitizers.budget.test_features import CHECK


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_rows_have_plausible_weights_factors_and_margins(family: Family) -> None:
    """With a negative weight, appended text could lower an estimate."""
    assert len(NAMES) == len(family.weights)
    assert min(family.weights) > 0
    assert 0.95 <= family.scale < 1.1
    assert 1.0 <= family.initial_factor < 1.2
    assert 0.15 <= family.margin <= 0.25
    assert family.media.image_low <= family.media.image


@pytest.mark.parametrize(
    ("name", "tokens"), [("o200k", 16.447), ("gemini", 18.999), ("claude3", 23.068), ("claude48", 26.480)]
)
def test_weights_are_those_that_were_fitted(name: str, tokens: float) -> None:
    """The fit gave these token counts for one text, before the row's scale.

    Emoji counted as symbols at that time, so an arrow replaces the emoji.
    """
    family = next(row for row in FAMILIES if row.name == name)
    assert math.isclose(count_text(CHECK.replace("😀", "→"), family) / family.scale, tokens, abs_tol=0.006)
