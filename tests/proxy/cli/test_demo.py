"""The demo marks a history whose answers are not the expected ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.cli import demo, main
from proxy.cli.comparison.run import Comparison
from proxy.cli.demo import render_comparison
from tests.proxy.cli.comparison.test_run import GOOD


def test_demo_fails_if_one_history_has_another_outcome(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The history is marked, and the exit status is 1."""

    async def comparisons() -> list[Comparison]:
        return [GOOD, replace(GOOD, proxied_status=502)]

    monkeypatch.setattr(demo, "run_comparison", comparisons)
    monkeypatch.setattr(demo, "configure_logs", lambda stream: None)

    status = main(["demo"])

    shown = capsys.readouterr().out
    assert status == 1
    assert ("ok  g00" in shown, "NOT g00" in shown) == (True, True)
    assert shown.endswith("1 of 2 refused when sent straight and answered through turnright.\n")


def test_long_answer_is_shown_in_two_lines() -> None:
    """The reader sees that it goes on."""
    shown = render_comparison(replace(GOOD, straight_text="word " * 100, changes=""))

    assert [line.strip()[:1] for line in shown.splitlines()[2:6]] == ["s", "w", "…", "t"]
    assert max(map(len, shown.splitlines())) < 120
    assert "  changes    none" in shown
