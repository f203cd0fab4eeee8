"""Tests of the table of a probe."""

from __future__ import annotations

from proxy.cli.show_probe import show_probe, show_size
from proxy.planning.probe.choose_cases import Expected
from proxy.planning.probe.count_tokens import Size
from proxy.planning.probe.describe import Probe
from proxy.planning.probe.judge_reply import Finding, judge_reply
from tests.proxy.planning.probe.replies import ANSWERED, case_of, refusal

PREFILL = "Requests ending with a model turn\nare not supported. " + 100 * "x"
AGREES = judge_reply(case_of("no_turn", Expected.REFUSED), refusal(400))
PRECAUTION = judge_reply(case_of("blank_text", Expected.EITHER), ANSWERED)
DIFFERS = judge_reply(case_of("trailing_model_turn", Expected.ACCEPTED), refusal(400, PREFILL))
NOT_ASKED = judge_reply(case_of("orphaned_result", Expected.REFUSED), refusal(503, "Overloaded."))


def lines(*findings: Finding, colours: bool = False) -> list[str]:
    """Return the lines for a probe with these findings."""
    probe = Probe("openai/m", "direct/openai", "openai", findings, ("trailing_space",))
    return list(show_probe(probe, colours=colours))


def cells(line: str) -> list[str]:
    """Return the cells of a line of the table."""
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_each_history_has_a_row_with_what_both_say() -> None:
    shown = lines(AGREES, PRECAUTION, DIFFERS, NOT_ASKED)

    assert shown[0] == "openai/m (direct/openai), profile openai"
    assert [cells(line) for line in shown[2:5]] == [
        ["history", "the profile", "the provider", "result"],
        ["no_turn", "forbidden, refused", "refused 400", "agrees"],
        ["blank_text", "forbidden to be safe", "accepted", "careful"],
    ]
    assert cells(shown[5])[:4] == ["trailing_model_turn", "allowed", "refused 400 (tail)", "DIFFERS"]
    assert cells(shown[6])[:4] == ["orphaned_result", "forbidden, refused", "failed 503", "not asked"]
    assert cells(shown[6])[4] == "the provider failed (unavailable); Overloaded."


def test_words_of_the_provider_are_on_one_line_and_cut() -> None:
    [row] = [line for line in lines(DIFFERS) if "trailing_model_turn" in line]

    assert "Requests ending with a model turn are not supported." in row
    assert row.endswith("x…")
    assert len(row) < 200


def test_the_counts_and_the_rules_without_a_history_follow() -> None:
    shown = lines(AGREES, AGREES, PRECAUTION, DIFFERS)

    assert shown[-2:] == [
        "2 agree, 1 differ, 1 accepted although forbidden to be safe.",
        "No history breaks these rules alone under this profile: trailing_space.",
    ]


def test_a_difference_is_red_where_colours_are_wanted() -> None:
    assert any("\x1b[1;31mDIFFERS" in line for line in lines(DIFFERS, colours=True))
    assert "\x1b" not in "".join(lines(DIFFERS))


def test_the_size_has_requests_tokens_and_pause() -> None:
    assert show_size(Size(10, 18, 1_500, 2_400), "openai/m", 0.5) == (
        "10 requests to openai/m, at most 18, 0.5 s apart. About 1,500 tokens of prompts, at most 2,400. Answers of at "
        "most 4,608 tokens in all, and usually far fewer."
    )
