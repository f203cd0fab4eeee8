"""The demo's histories, and the outcome that each should have."""

from __future__ import annotations

from dataclasses import replace

from proxy.cli.comparison.naive_wire import naive_body
from proxy.cli.comparison.run import Comparison, load_histories
from proxy.emulator import judge

GOOD = Comparison("g00", "gemini-2.5-pro", "what", "where", 400, "refused", 200, "answered", "pairing=1")


def test_every_history_is_broken_and_has_its_source() -> None:
    """The emulator's judge refuses each of them as it is."""
    for history in load_histories():
        tools = [{"function": {"name": name, "description": name}} for name in history.get("tools", ())]

        assert judge(history["model"], naive_body(history["messages"], tools)) is not None
        assert history["source"].startswith("https://github.com/")


def test_expected_outcome_is_refused_directly_and_answered_with_changes() -> None:
    """Each of the other outcomes makes the demo fail."""
    others = ({"straight_status": 200}, {"proxied_status": 400}, {"proxied_status": 502}, {"changes": ""})

    assert GOOD.is_as_expected
    assert not any(replace(GOOD, **other).is_as_expected for other in others)
