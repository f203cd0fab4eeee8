"""Tests that ``docs/learned-repairs.md`` has every repair, and the numbers of the code."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

from proxy.planning.repairs.repair_row import Learning
from proxy.planning.repairs.repair_table import TABLE
from proxy.state.repairs.evidence import HALF_LIFE_S, Evidence, confidence
from proxy.state.repairs.repair_table import LEAST, LEAST_LOOSENING
from tests.support.markdown_tables import key_in, rows_under

DOCUMENT = (Path(__file__).parents[1] / "docs" / "learned-repairs.md").read_text(encoding="utf-8")
CONFIDENCES = {Learning.LOSSLESS: LEAST, Learning.LOOSENS: LEAST_LOOSENING}


def test_every_repair_that_is_learned_is_listed_with_its_confidence() -> None:
    """Each fault has a row, and all rows of the repair table for this fault have the confidence that is listed."""
    told = [(key_in(row[0]), float(row[3])) for row in rows_under(DOCUMENT, "Which repairs are learned")]

    assert len(told) == len(set(told))
    assert set(told) == {
        (row.fault, CONFIDENCES[row.learning]) for row in TABLE if row.learning in CONFIDENCES
    }


def test_every_repair_that_is_never_learned_is_listed() -> None:
    told = [
        fault for row in rows_under(DOCUMENT, "Never learned") for fault in re.findall(r"`(\w+)`", row[0])
    ]

    assert sorted(told) == sorted({row.fault for row in TABLE if row.learning is Learning.NEVER})


def test_numbers_of_confirmations_are_those_of_the_code() -> None:
    """Each number of the table is the first one that reaches the confidence."""
    for row in rows_under(DOCUMENT, "Confirmations that are needed"):
        contradictions, *told = map(int, row)
        for number, least in zip(told, CONFIDENCES.values(), strict=True):
            assert number == next(n for n in count(1) if confidence(n, contradictions) >= least), row


def test_times_of_decay_are_those_of_the_code() -> None:
    """After the time that is told, so many confirmations are no longer enough. A day before, twenty still were."""
    half_a_day, days = HALF_LIFE_S / 14, HALF_LIFE_S / 7

    def after(confirmed: float, seconds: float) -> float:
        return confidence(Evidence(confirmed=confirmed).decayed(seconds).confirmed, 0)

    assert "All counts are halved in seven days." in DOCUMENT
    assert "Four confirmations come to less than 0.7 after half a day, and twenty after 17 days." in DOCUMENT
    assert HALF_LIFE_S == 7 * 86_400
    assert after(4, half_a_day) < LEAST
    assert after(20, 17 * days) < LEAST < after(20, 16 * days)
