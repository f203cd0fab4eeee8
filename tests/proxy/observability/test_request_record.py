"""Tests of a request's record: its changes, and the headers of its answer."""

from __future__ import annotations

import pytest

from proxy.observability.limit_headers import write_limits
from sanitizers import Change
from tests.proxy.observability.planned import DEPLOYMENT, MENDED, PAIRED, Sent, record_of
from tests.proxy.observability.standings import BOTH


@pytest.mark.parametrize(
    ("planned", "answered", "expected"),
    [
        (None, (), ""),
        (Sent(), (), ""),
        (Sent(changes=(PAIRED, PAIRED)), (), "pairing=2"),
        (Sent(changes=(PAIRED,)), (MENDED,), "pairing=1,answer_repair=1"),
        (Sent("observe", (PAIRED,)), (), "pairing=1;observed"),
        (Sent("observe", (PAIRED,)), (MENDED,), "pairing=1;observed,answer_repair=1"),
        (Sent("observe"), (MENDED,), "answer_repair=1"),
    ],
)
def test_changes_are_counted_by_step(
    planned: Sent | None, answered: tuple[Change, ...], expected: str
) -> None:
    """Changes that mode ``observe`` did not make are marked. Changes of the answer are made in every mode."""
    assert record_of(planned, *answered).changes() == expected


def test_new_plan_clears_the_answer_changes_in_place() -> None:
    """The running attempt adds to the same list."""
    record = record_of(Sent(), MENDED)
    ledger = record.answer_changes
    record.use_plan(Sent(changes=(PAIRED,)))

    assert record.answer_changes is ledger
    assert record.all_changes == (PAIRED,)


def test_unplanned_request_has_only_the_overhead_header() -> None:
    """A request that is refused before a plan has no headers for the model and the attempts."""
    assert record_of().answer_headers(1.25) == {"x-turnright-overhead-ms": "250.000"}


def test_limited_key_gets_the_headers_of_every_format_and_those_of_its_own() -> None:
    """The own ones are written only where the format has any."""
    record = record_of()
    record.standing = BOTH

    assert record.answer_headers(1.25).items() > write_limits(BOTH).items()

    record.write_own_limits = lambda standing: {"own": str(standing.limit_requests)}
    assert record.answer_headers(1.25).items() > {**write_limits(BOTH), "own": "60"}.items()


@pytest.mark.parametrize(
    ("cost_nano", "stream", "expected"),
    [(None, False, None), (4_213_000, False, "0.004213"), (0, False, "0.0"), (4_213_000, True, None)],
    ids=["unknown", "whole", "free", "stream"],
)
def test_whole_answer_says_its_cost(cost_nano: int | None, stream: bool, expected: str | None) -> None:
    """The cost of a stream is not known when its headers are sent."""
    record = record_of()
    record.cost_nano, record.stream = cost_nano, stream

    assert record.answer_headers(1.25).get("x-turnright-cost") == expected


@pytest.mark.parametrize(("waited", "shown"), [(0.0, "500.000"), (0.3, "200.000"), (9.0, "0.000")])
def test_overhead_leaves_out_upstream_time_and_is_never_negative(waited: float, shown: str) -> None:
    """The measured upstream time may exceed the request's whole duration."""
    record = record_of(Sent())
    record.upstream_wait, record.attempts = waited, 2

    assert record.answer_headers(1.5) == {
        "x-turnright-overhead-ms": shown,
        "x-turnright-model": DEPLOYMENT.model,
        "x-turnright-attempts": "2",
    }


def test_only_a_plan_without_changes_is_remembered_as_unchanged() -> None:
    """The log then does not check the changes again."""
    quiet, changed = record_of(Sent()), record_of(Sent(changes=(PAIRED,)))
    assert "x-turnright-changes" not in quiet.answer_headers(2.0)
    assert changed.answer_headers(2.0)["x-turnright-changes"] == "pairing=1"

    assert quiet.unchanged is quiet.planned
    assert changed.unchanged is None


@pytest.mark.parametrize(
    ("asked", "label", "shown"),
    [
        ("", "unknown", None),
        ("fast", "fast", None),
        ("gpt-4", "fast", "gpt-4"),
        ("gemini/gemini-2.5-pro", "gemini/*", "gemini/gemini-2.5-pro"),
        ("gtp-4", "unknown", "gtp-4"),
        ("a b\n\x1b[31m\u2028{secret}", "unknown", "a?b???31m??secret?"),
        ("m" * 5_000, "unknown", "m" * 100),
    ],
)
def test_asked_model_is_bounded_and_has_the_characters_of_a_name(
    asked: str, label: str, shown: str | None
) -> None:
    """The asked model is a client's text that goes to the log.

    The asked model is left out where the label has the same name.
    """
    record = record_of()
    record.asked, record.model = asked, label

    assert record.asked_model == shown
