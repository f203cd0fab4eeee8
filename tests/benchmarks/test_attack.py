"""Tests of the parts of ``make attack`` that start no process: goals, verdicts, bodies, and comparisons of answers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from benchmarks.attack import bodies
from benchmarks.attack.browser import foreign, own
from benchmarks.attack.content_bodies import CONTENTS, GEMINI_API
from benchmarks.attack.exchange import request
from benchmarks.attack.goals import DEADLINE, LARGE, ROWS, SMALL, STATE, STOP, Row
from benchmarks.attack.manners import HOSTILE_ERRORS
from benchmarks.attack.memory import overlay_limit
from benchmarks.attack.message_bodies import MESSAGES
from benchmarks.attack.two_clients import Met, changed
from benchmarks.attack.verdicts import Figure, better_of_two, missed, render_cases, render_rows, worst
from benchmarks.attack.waiting import longest_extra
from benchmarks.attack.waiting_cases import DIRECT, LITELLM, cases
from tests.process.running import ROOT

FAMILIES = {
    **{f"chat: {name}": build for name, build in bodies.CHAT.items()},
    **{f"embeddings: {name}": build for name, build in bodies.EMBEDDINGS.items()},
    **{f"completions: {name}": build for name, build in bodies.COMPLETIONS.items()},
    **{f"responses: {name}": build for name, build in bodies.RESPONSES.items()},
    **{f"messages: {name}": build for name, build in MESSAGES.items()},
    **{f"contents: {name}": build for name, build in CONTENTS.items()},
}


def in_turn(*figures: Figure) -> tuple[list[int], Iterator[Figure]]:
    """Return a list, and an iterator over *figures*. The list grows with each figure that is taken."""
    asked: list[int] = []

    def each() -> Iterator[Figure]:
        for number, figure in enumerate(figures):
            asked.append(number)
            yield figure

    return asked, each()


def test_a_goal_is_met_up_to_its_figure() -> None:
    """A figure up to the goal meets the goal, and a larger or missing figure misses it."""
    assert Figure(SMALL, "a", 100.0).met
    assert not Figure(SMALL, "a", 100.1).met
    assert not Figure(SMALL, "a", None).met
    assert missed([Figure(STATE, "a", 0.0), Figure(STATE, "b", 1.0)]) == [Figure(STATE, "b", 1.0)]


def test_the_worst_figure_is_the_largest_that_was_measured() -> None:
    """A missing measurement is never the worst figure."""
    small, large, none = (Figure(SMALL, "a", value) for value in (1.0, 2.0, None))

    assert worst([small, none, large]) is large
    assert worst([none]) is None


@pytest.mark.parametrize(
    ("values", "counted", "times"),
    [
        ((90.0, 10.0), 90.0, 1),
        ((150.0, 90.0), 90.0, 2),
        ((150.0, 160.0), 150.0, 2),
        ((501.0, 90.0), 501.0, 1),
        ((None, 90.0), None, 1),
    ],
)
def test_a_near_miss_is_measured_once_more(
    values: tuple[float | None, ...], counted: float | None, times: int
) -> None:
    """A figure is measured again if it narrowly misses its goal, but not if it meets the goal or misses it by far."""
    asked, each = in_turn(*(Figure(SMALL, "a", value) for value in values))

    assert better_of_two(lambda: next(each)).value == counted
    assert len(asked) == times


def test_an_attack_that_was_ended_is_not_measured_again() -> None:
    """The figure of an attack that was ended is a lower bound, so that a second try is useless."""
    asked, each = in_turn(Figure(STOP, "a", 8.0, ended=False), Figure(STOP, "a", 1.0))

    assert better_of_two(lambda: next(each)).value == 8.0
    assert len(asked) == 1


def test_the_table_has_a_line_for_each_row_that_was_measured() -> None:
    """Each line has the row's goal, its worst case, and how many cases met the goal."""
    figures = [Figure(DEADLINE, "b", 0.25), Figure(SMALL, "a", 1234.6), Figure(SMALL, "c", 5.0)]

    assert render_rows(figures).splitlines()[2:] == [
        "| others wait behind a request below 1 MiB | ≤ 100 ms | 1,235 ms | a | 1 of 2 | **missed** |",
        "| a request ends after its deadline | ≤ 0.50 s | 0.25 s | b | 1 of 1 | met |",
    ]


def test_the_table_counts_what_was_not_measured() -> None:
    """A row with missing measurements is missed, and its worst figure is still shown."""
    figures = [Figure(SMALL, "a", 5.0), Figure(SMALL, "b", None), Figure(STATE, "c", None)]

    assert render_rows(figures).splitlines()[2:] == [
        "| others wait behind a request below 1 MiB | ≤ 100 ms | 5 ms | a | 1 of 2, 1 not measured | **missed** |",
        "| state that one client changes for another | ≤ 0 changes | not measured |  | 0 of 1, 1 not measured | "
        "**missed** |",
    ]


def test_the_list_has_one_line_for_what_was_not_measured() -> None:
    """Each measured case has its own line. Cases that were not measured share one line if they have the same note."""
    none = Figure(SMALL, "a", None, "no time was left")

    assert render_cases([none, Figure(SMALL, "b", 200.0, "200"), none]).splitlines()[2:] == [
        "| others wait behind a request below 1 MiB | b | 200 ms | **missed** | 200 |",
        "| others wait behind a request below 1 MiB | 2 more | not measured | **missed** | no time was left |",
    ]


def test_rows_have_keys_of_their_own() -> None:
    """Each row's key is unique, since cases are chosen by key."""
    assert len({row.key for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_the_manual_explains_every_row(row: Row) -> None:
    """The manual has a table row with the title of each row."""
    assert f"| {row.title} |" in (ROOT / "docs" / "hostile-clients.md").read_text()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [20_000, 200_000])
def test_bodies_are_json_of_the_size_that_is_asked_for(name: str, size: int) -> None:
    """A body's size is within a third of the wanted size.

    The body is JSON, since an unreadable body would show nothing.
    """
    body = bodies.chat("m", FAMILIES[name](size))

    assert size * 2 / 3 < len(body) < size * 4 / 3
    if name != "chat: deep nesting":  # Python's reader has a limit of its own
        assert json.loads(body)["model"] == "m"


def test_a_body_that_is_looked_at_is_the_request_itself() -> None:
    """The body for the inspector holds the request and its target."""
    asked = json.loads(bodies.looked_at("m", bodies.CHAT["many stops"](1_000)))

    assert asked["target"] == {"model": "m"}
    assert asked["request"]["stop"][0] == "s0"


@pytest.mark.parametrize("name", HOSTILE_ERRORS)
def test_hostile_errors_are_about_a_mebibyte(name: str) -> None:
    """Hostile errors have about one to two MiB, since smaller errors would show nothing."""
    assert 0.9 * 2**20 < len(HOSTILE_ERRORS[name]) < 2.1 * 2**20


@pytest.mark.parametrize("row", [SMALL, LARGE])
def test_every_wire_and_path_is_attacked(row: Row) -> None:
    """A short run attacks every wire and path, though not with every family. The cases have unique names."""
    names = [case.name for case in cases(row, full=False)]

    assert len(set(names)) == len(names)
    others = ("/v1/embeddings", "/v1/completions", "/v1/responses responses", "/v1/explain", "/ui/api/look")
    for wire in (*DIRECT, *LITELLM, *others, f"{GEMINI_API} gemini"):
        assert any(name.startswith(wire) for name in names), wire


def test_a_full_run_sends_every_family_to_every_wire() -> None:
    """A full run has enough cases for every family on every wire at two sizes, and a short run has fewer."""
    few, all_ = (len(list(cases(SMALL, full=full))) for full in (False, True))

    assert all_ > 2 * len({**DIRECT, **LITELLM}) * len(bodies.CHAT) > few


def test_the_wait_is_what_the_idle_process_does_not_take() -> None:
    """The wait is the larger of two extra times, of ``livez`` and of ``chat``, over the idle proxy's median."""
    idle = {"livez": {"median": 1.0, "worst": 9.0}, "chat": {"median": 3.0, "worst": 9.0}}
    waits = {"livez": {"median": 1.0, "worst": 21.0}, "chat": {"median": 3.0, "worst": 22.0}}

    assert longest_extra(waits, idle) == 20.0
    assert longest_extra({"livez": {"worst": 0.5}, "chat": {"worst": 2.0}}, idle) == 0.0


def test_a_request_has_the_headers_that_are_asked_for() -> None:
    """Given headers replace the usual ones, and a header with an empty value is left out."""
    raw = request("/a", b"{}", key="k", headers={"Content-Type": "", "Host": "x"})

    assert raw.startswith(b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nAuthorization: Bearer k\r\n")
    assert b"Content-Type" not in raw


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (Met(200, "a", 1.9), ""),
        (Met(503, None, 0.1), "503 in the place of 200"),
        (Met(200, None, 0.1), "its deployment was not asked"),
        (Met(200, "b", 0.1), "the provider was sent something else"),
        (Met(200, "a", 2.2), "2.2 s in the place of 0.1 s"),
    ],
)
def test_what_a_client_notices(after: Met, said: str) -> None:
    """The comparison names another status, another body at the provider, or a much longer wait."""
    assert changed(Met(200, "a", 0.1), after) == said


def test_foreign_and_own_requests_are_told_apart() -> None:
    """No request is both in ``foreign`` and in ``own``."""
    assert not {one.bytes for one in foreign()} & {one.bytes for one in own()}


def test_an_overlay_has_the_largest_limit_that_is_named() -> None:
    """An overlay's limit is the memory under ``limits`` in its manifest, and never the memory under ``requests``."""
    manifest = "requests: {cpu: 250m, memory: 900Mi}\nlimits: {memory: 768Mi}     # a comment\n"

    assert overlay_limit(manifest) == 768 * 2**20
    assert overlay_limit("requests: {memory: 900Mi}") == 0
