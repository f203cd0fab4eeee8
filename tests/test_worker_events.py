"""Tests that the events which workers do not send contain no test result."""

from __future__ import annotations

from typing import Any

import pytest
from xdist import remote  # type: ignore[import-untyped]

from tests.support.worker_events import is_noise, send_fewer_events


def report(when: str, outcome: str, *sections: tuple[str, str]) -> dict[str, Any]:
    """Return the fields of the event that carries a report."""
    return {"data": {"when": when, "outcome": outcome, "sections": list(sections)}}


@pytest.mark.parametrize(
    ("name", "fields", "noise"),
    [
        ("logstart", {}, True),
        ("logfinish", {}, True),
        ("testreport", report("setup", "passed"), True),
        ("testreport", report("teardown", "passed"), True),
        ("testreport", report("call", "passed"), False),
        ("testreport", report("setup", "skipped"), False),
        ("testreport", report("setup", "failed"), False),
        ("testreport", report("teardown", "failed"), False),
        ("testreport", report("teardown", "passed", ("Captured stdout", "words")), False),
        ("runtest_protocol_complete", {}, False),
        ("warning_recorded", {}, False),
    ],
)
def test_only_events_without_a_result_are_dropped(name: str, fields: dict[str, Any], noise: bool) -> None:
    """A failed clean-up and a skipped test are still reported."""
    assert is_noise(name, fields) is noise


class WorkerInteractor:
    """Stands for xdist's class of this name, as its workers register it."""

    def __init__(self) -> None:
        """Begin with an empty list of sent events."""
        self.sent: list[str] = []

    def sendevent(self, name: str, **fields: Any) -> None:
        """Record the name of the event."""
        self.sent.append(name)


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ([], ["testreport"]),
        (["--durations=9"], ["logstart", "testreport"]),
        (["--junit-xml=x"], ["logstart", "testreport"]),
    ],
)
def test_options_that_read_every_report_keep_all_events(arguments: list[str], sent: list[str]) -> None:
    """``--durations`` and ``--junit-xml`` read all reports, so that the workers send all events."""
    worker = WorkerInteractor()
    config = pytest.Config.fromdictargs({}, ["-p", "no:cacheprovider", *arguments])
    config.pluginmanager.register(worker)

    send_fewer_events(config)
    worker.sendevent("logstart")
    worker.sendevent("testreport", **report("call", "passed"))

    assert worker.sent == sent


def test_xdist_names_its_worker_as_expected() -> None:
    """The class and method of xdist have the expected names; otherwise the workers would send all events."""
    assert remote.WorkerInteractor.__name__ == WorkerInteractor.__name__
    assert callable(remote.WorkerInteractor.sendevent)
