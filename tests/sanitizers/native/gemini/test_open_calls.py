"""Tests of the calls that wait for a response."""

from __future__ import annotations

import pytest

from sanitizers.native.gemini.open_calls import OpenCalls
from tests.support.builders import call

CALLS = [call("a", "f"), call("b", "g"), call("c", "f")]


@pytest.mark.parametrize(
    ("responses", "taken"),
    [
        ([("b", "g"), ("a", "f")], ["b", "a"]),
        ([("", "f"), ("", "f"), ("", "f")], ["a", "c", None]),
        ([("a", "f"), ("", "f")], ["a", "c"]),
        ([("other", "g"), ("", "h")], ["b", None]),
        ([("a", "f"), ("a", "f")], ["a", "a"]),
    ],
)
def test_response_takes_the_call_of_its_id_or_the_first_of_its_name(
    responses: list[tuple[str, str]], taken: list[str | None]
) -> None:
    """A known id counts, even a second time: a later step drops one of two results."""
    waiting = OpenCalls(CALLS)

    assert [waiting.take(*response) for response in responses] == taken


def test_no_call_waits_behind_a_complete_answer() -> None:
    """Further responses are left to the steps that find orphans."""
    waiting = OpenCalls(CALLS)
    waiting.take_all()

    assert waiting.take("", "f") is None
