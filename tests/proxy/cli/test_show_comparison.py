"""Tests of one comparison as lines for a terminal."""

from __future__ import annotations

from dataclasses import replace

from proxy.cli.show_comparison import show_comparison
from tests.proxy.cli.comparison.test_run import GOOD


def test_comparison_has_a_rule_both_answers_and_a_sentence_for_each_change() -> None:
    """A comparison shows a mark, both answers and a sentence for each change."""
    assert show_comparison(GOOD, width=20).splitlines() == [
        "─" * 20,
        "ok  g00  gemini-2.5-pro: what",
        "             where",
        "  straight   400 refused",
        "  turnright  200 answered",
        "  changes    A call without a result got one that says so. (pairing)",
    ]
    assert "NOT g00" in show_comparison(replace(GOOD, proxied_status=502))


def test_long_answer_is_shown_in_two_lines() -> None:
    """A long answer is shown in two lines, followed by an ellipsis."""
    shown = show_comparison(replace(GOOD, straight_text="word " * 100, changes=""))

    assert [line.strip()[:1] for line in shown.splitlines()[3:7]] == ["s", "w", "…", "t"]
    assert max(map(len, shown.splitlines())) <= 110
    assert "  changes    none" in shown


def test_long_description_is_wrapped_below_itself() -> None:
    """A long description is wrapped between words and indented."""
    shown = show_comparison(replace(GOOD, description="word " * 30), width=60).splitlines()

    assert shown[1].startswith("ok  g00  gemini-2.5-pro: word word")
    assert shown[2].startswith("         word word")
    assert max(map(len, shown[:4])) <= 60


def test_colours_are_added_and_an_answer_cannot_bring_its_own() -> None:
    """Colours are added only on request, and an answer's own escape sequences never reach the terminal."""
    hostile = replace(GOOD, proxied_text="\033[2Jgone")

    plain, coloured = show_comparison(hostile), show_comparison(hostile, colours=True)
    assert "\033" not in plain
    assert "\033[32m200" in coloured
    assert "\033[2J" not in coloured
