"""Tests of the log lines about learned repairs."""

from __future__ import annotations

import pytest

from proxy.config import resolve
from proxy.observability.repair_reports import report_repair
from proxy.planning.learned.features import named_value
from proxy.state.repairs.learned_repairs import LearnedRepairs
from proxy.state.repairs.repair_key import RepairKey
from tests.proxy.conftest import LogLines
from tests.support.proxied import MODEL, settings_of

SECRET = "zzmadeup"
KEY = RepairKey("parameter", named_value("stop", SECRET), "unsupported value: 'stop'", False)


def test_each_change_of_a_repair_is_one_line_without_texts_of_a_client(log_lines: LogLines) -> None:
    """A repair becomes learned with the fourth confirmation, and unlearned with the first contradiction."""
    (deployment,) = resolve(settings_of(), MODEL)
    known = LearnedRepairs(lambda: 1_000.0, report=report_repair)
    for number in range(5):
        known.confirm(deployment, "team-a", [KEY], f"conversation {number}")
    known.contradict(deployment, "team-a", KEY)

    lines = log_lines()

    assert [
        {name: value for name, value in line.items() if name not in {"timestamp", "level", "confidence"}}
        for line in lines
    ] == [
        {"event": event, "model": MODEL, "fault": "parameter", "feature": KEY.feature, "key": "team-a"}
        for event in ("repair_learned", "repair_unlearned")
    ]
    assert [line["confidence"] for line in lines] == [0.71, pytest.approx(0.56, abs=0.02)]
    assert SECRET not in str(lines)
