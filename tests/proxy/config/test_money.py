"""Tests of amounts of dollars."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from proxy.config.money import nano_dollars
from tests.proxy.config.samples import faults_of, load, settings_of


def _with_budget(value: Any) -> dict[str, Any]:
    return {"teams": [{"name": "blue", "max_budget": value}]}


@pytest.mark.parametrize(
    ("written", "nano"),
    [
        (25, 25 * 10**9),
        (25.0, 25 * 10**9),
        (0.1, 10**8),
        (0.3, 3 * 10**8),
        (1e-9, 1),
        ("1e-9", 1),
        ("200.000000001", 200 * 10**9 + 1),
        (9_000_000, 9 * 10**15),
    ],
)
def test_an_amount_is_exact_to_the_billionth(written: Any, nano: int) -> None:
    """An amount is the decimal that was written, and not the nearest binary fraction."""
    assert settings_of(general_settings=_with_budget(written)).general_settings.teams[0].budget_nano == nano


def test_an_amount_may_be_a_variable() -> None:
    """An amount may stand in an environment variable."""
    loaded = load(environ={"BUDGET": "12.5"}, general_settings=_with_budget("os.environ/BUDGET"))

    assert loaded.settings.general_settings.teams[0].max_budget == Decimal("12.5")


@pytest.mark.parametrize(
    "value",
    [
        0,
        -1,
        "0",
        True,
        None,
        "",
        "a lot",
        [1],
        {},
        float("inf"),
        float("nan"),
        9_000_001,
        1e-10,
        "1" * 50,
        "1e999999999",
    ],
)
def test_what_is_no_amount_is_one_fault(value: Any) -> None:
    """An amount that is not above 0, too large, too fine, or no number is one fault with its path."""
    ((path, text),) = faults_of(general_settings=_with_budget(value))

    assert path == "general_settings.teams[0].max_budget"
    assert text.startswith(("must ", "has no value", "is empty"))


def test_a_finer_amount_is_cut() -> None:
    """Digits behind the ninth are cut."""
    assert nano_dollars(Decimal("0.0000000019")) == 1
