"""Tests of the report on a request's tokens, in the header and for ``/v1/explain``."""

from __future__ import annotations

import re

import orjson
import pytest

from proxy.planning.budgets.fit_request import FitInput, fit_request
from proxy.planning.budgets.limits import Limit
from proxy.planning.budgets.report import Report
from sanitizers.budget import Marks
from tests.proxy.planning.budgets.shapes import agent, facts_for, profile_of_model

SHARED = Limit(10_000, 2_000, 8_000, True, "configured")
UNKNOWN = Limit(None, 8_192, None, True, "unknown")
MARKS = Marks(available=7_000, high=7_000, low=3_500, hard=7_300, tools=300, system=100)
EXACT = re.compile(r"est=\d+;limit=\d+;sent=\d+;used=\d+%;round=\d+;left=\d+")
BOUND = re.compile(r"est<=\d+;limit=\d+;sent<=\d+;used<=\d+%;round<=\d+;left>=\d+")


@pytest.mark.parametrize(
    ("report", "header"),
    [
        (
            Report(4_400, True, SHARED, 4_400, marks=MARKS, rounds=10),
            "est=4400;limit=8000;sent=4400;used=55%;round=400;left=7",
        ),
        (
            Report(9_400, True, SHARED, 3_400, marks=MARKS, rounds=10),
            "est=9400;limit=8000;sent=3400;used=42%;round=900;left=4",
        ),
        (Report(4_400, True, SHARED, 4_400, marks=MARKS), "est=4400;limit=8000;sent=4400;used=55%"),
        (Report(4_400, False, SHARED, 4_400), "est<=4400;limit=8000;sent<=4400;used<=55%"),
        (Report(4_400, False, UNKNOWN, 4_400), "est<=4400;sent<=4400"),
        (Report(4_400, True, UNKNOWN, 4_400, rounds=3), "est=4400;sent=4400"),
        (
            Report(4_400, True, SHARED, 4_400, marks=MARKS, rounds=10, memory=1_840),
            "est=4400;limit=8000;sent=4400;used=55%;round=400;left=7;memory=1840",
        ),
        (Report(4_400, False, UNKNOWN, 4_400, memory=0), "est<=4400;sent<=4400;memory=0"),
        (Report(10**7, False, SHARED, 10**7), "est<=10000000;limit=8000;sent<=10000000;used<=999%"),
    ],
)
def test_the_header_has_numbers_and_names(report: Report, header: str) -> None:
    """An upper bound has ``<=``. An unknown limit is left out."""
    assert report.header() == header


def test_rounds_left_is_never_negative() -> None:
    """Above the high mark no further round fits. A round without tokens causes no division by zero."""
    assert Report(9_000, True, SHARED, 9_000, marks=MARKS, rounds=2).rounds_left == 0
    assert Report(400, True, SHARED, 400, marks=MARKS, rounds=2).round_mean == 0
    assert Report(400, True, SHARED, 400, marks=MARKS, rounds=2).rounds_left >= 0


def test_header_of_a_real_request() -> None:
    """The header of a counted and cut request has exact numbers. That of an uncounted request has bounds."""
    history = agent(40)
    cut = fit_request(FitInput(history, profile_of_model(), {}), facts_for(window=24_000)).report
    bounded = fit_request(FitInput(agent(2), profile_of_model(), {}), facts_for(window=200_000)).report

    assert EXACT.fullmatch(cut.header())
    assert BOUND.fullmatch(bounded.header())
    assert cut.rounds == 40
    assert 0 < cut.round_mean < 5_000
    assert cut.rounds_left >= 1


def test_the_whole_report_is_json() -> None:
    """``/v1/explain`` gets the numbers, the marks, the parts before and after, the events and the cuts."""
    report = fit_request(
        FitInput(agent(40), profile_of_model(), {}), facts_for(window=24_000), count=True
    ).report
    shown = orjson.loads(orjson.dumps(report.as_dict()))

    assert (shown["exact"], shown["window"], shown["window_source"], shown["limit"]) == (
        True,
        24_000,
        "configured",
        report.limit.tokens,
    )
    assert shown["estimate"] > shown["limit"] > shown["sent"]
    assert shown["low"] < shown["high"] <= shown["hard"]
    before, after = shown["parts"]["before"], shown["parts"]["after"]
    for parts, whole in ((before, shown["estimate"]), (after, shown["sent"])):
        named = ("system", "tools", "first_goal", "older_rounds", "current_round")
        assert sum(parts[name] for name in named) == whole
    assert before["current_round"] == after["current_round"]
    assert before["rounds"] == 40
    for event in shown["events"]:
        assert event["before"] > event["after"]
        assert event["done"]
    assert shown["removed"].keys() == report.removed.keys()
    assert all(cut["tokens"] > 0 for cut in shown["removed"].values())


def test_without_a_count_there_are_no_parts() -> None:
    """A request that was only bounded has no tokens by part."""
    shown = fit_request(FitInput(agent(2), profile_of_model(), {}), facts_for()).report.as_dict()

    assert not shown["exact"]
    assert "parts" not in shown
    assert "events" not in shown
