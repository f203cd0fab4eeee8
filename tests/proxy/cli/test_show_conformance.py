"""Tests of the outcomes of ``turnright conform`` as lines for a terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.cli.show_conformance import count_verdicts, show_conformance
from proxy.conformance.judge import Outcome, Verdict

HELD = Outcome("g01", "orphaned_result", "gemini/x", "a report", Verdict.HOLDS, "", 200, 1)
LOST = replace(HELD, id="g02", verdict=Verdict.LOST, detail='the text "a"')


def test_where_all_hold_one_line_says_so() -> None:
    assert show_conformance([HELD, HELD]) == "2 of 2 histories hold."


def test_each_history_that_fails_has_a_row_with_the_reason() -> None:
    """Each failing history has a row with the reason. The counts follow, and the last line has the number that hold."""
    legal = replace(LOST, id="g03", rule=None, verdict=Verdict.NOT_SENT, detail="")

    assert show_conformance([LOST, HELD, legal]).splitlines() == [
        "history  rule             outcome                 why",
        'g02      orphaned_result  lost a part             the text "a"',
        "g03      -                answered, and not sent",
        "",
        "   1  lost a part",
        "   1  answered, and not sent",
        "1 of 3 histories hold.",
    ]


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_shown(verdict: Verdict) -> None:
    shown = show_conformance([replace(LOST, verdict=verdict)])

    assert ("1 of 1" in shown) == (verdict is Verdict.HOLDS)


def test_providers_words_cannot_command_the_terminal() -> None:
    """Control characters in a provider's words are not printed raw, and a long text is cut."""
    shown = show_conformance([replace(LOST, detail="\x1b[2J" + "word " * 100)])

    assert "\x1b" not in shown
    assert max(map(len, shown.splitlines())) < 150


def test_colours_are_used_where_they_are_wanted() -> None:
    assert "\x1b[" in show_conformance([HELD], colours=True)
    assert "\x1b[" not in show_conformance([HELD])


def test_counts_have_every_verdict() -> None:
    assert count_verdicts([HELD, LOST]) == {
        "holds": 1,
        "lost": 1,
        "provider_refused": 0,
        "gateway_refused": 0,
        "not_sent": 0,
        "no_answer": 0,
    }
