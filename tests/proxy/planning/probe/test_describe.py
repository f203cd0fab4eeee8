"""Tests of a probe's results as JSON values, and of the report of its differences."""

from __future__ import annotations

import json

from proxy.planning.probe.choose_cases import Expected
from proxy.planning.probe.describe import Probe, describe_differences, describe_probe
from proxy.planning.probe.judge_reply import Finding, Verdict, judge_reply
from tests.proxy.planning.probe.replies import ANSWERED, case_of, refusal

WORDS = "Dear Ms Private, requests ending with a model turn are not supported."
REFUSED = judge_reply(case_of("trailing_model_turn", Expected.ACCEPTED), refusal(400, WORDS))
AGREED = judge_reply(case_of("no_turn", Expected.ACCEPTED), ANSWERED)
STOPPED = judge_reply(case_of("no_turn", Expected.ACCEPTED), refusal(429))


def probe_of(*findings: Finding) -> Probe:
    """Return a probe with these findings."""
    return Probe("openai/m", "direct/openai", "openai", findings, ("trailing_space",))


def test_a_difference_counts_more_than_what_was_not_asked() -> None:
    assert probe_of(AGREED, STOPPED, REFUSED).verdict is Verdict.DIFFERS
    assert probe_of(AGREED, STOPPED).verdict is Verdict.NOT_ASKED
    assert probe_of(AGREED).verdict is Verdict.AGREES


def test_the_result_has_every_finding() -> None:
    told = describe_probe(probe_of(AGREED, REFUSED))

    assert told["verdict"] == "differs"
    assert told["counts"] == {"agrees": 1, "differs": 1, "not_asked": 0, "careful": 0, "hidden": 0}
    assert told["findings"][1] == {
        "rule": "trailing_model_turn",
        "history": "trailing_model_turn",
        "expected": "accepted",
        "said": "refused",
        "verdict": "differs",
        "status": 400,
        "row": "tail",
        "words": "ending with a model turn",
        "shown": WORDS,
        "why": None,
    }
    assert told["untested"] == ["trailing_space"]


def test_the_report_has_the_differences_with_the_words_of_the_row_alone() -> None:
    report = describe_differences(probe_of(AGREED, STOPPED, REFUSED))

    assert report["differences"] == [
        {
            "rule": "trailing_model_turn",
            "history": "trailing_model_turn",
            "expected": "accepted",
            "said": "refused",
            "status": 400,
            "row": "tail",
            "words": "ending with a model turn",
        }
    ]
    assert "Private" not in json.dumps(report)
