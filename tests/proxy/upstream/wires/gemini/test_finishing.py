"""Tests that a candidate's end becomes OpenAI's finish reason or a fault."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import read_answer
from tests.proxy.upstream.wires.gemini.test_answers import body, call, only_choice


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("MAX_TOKENS", "length"),
        *(
            (reason, "content_filter")
            for reason in (
                "SAFETY",
                "RECITATION",
                "BLOCKLIST",
                "PROHIBITED_CONTENT",
                "SPII",
                "IMAGE_SAFETY",
                "LANGUAGE",
            )
        ),
    ],
)
@pytest.mark.parametrize("parts", [[], [{"text": "a"}], [call()]])
def test_cut_or_filtered_answer_keeps_that_finish_reason(
    reason: str, expected: str, parts: list[dict[str, Any]]
) -> None:
    """The finish reason does not depend on the answer's parts."""
    assert only_choice(read_answer(body(*parts, reason=reason), model="m"))["finish_reason"] == expected


def test_finish_message_is_in_the_error_up_to_a_limit() -> None:
    """Gemini explains the fault in ``finishMessage``."""
    candidate = {"finishReason": "UNEXPECTED_TOOL_CALL", "finishMessage": "tried to call X" + "x" * 9999}

    with pytest.raises(UpstreamFault, match="tried to call X") as caught:
        read_answer({"candidates": [candidate]}, model="m")

    assert len(caught.value.message) < 1000


@pytest.mark.parametrize("reason", ["OTHER", "NO_IMAGE", "TOO_MANY_TOOL_CALLS", "A_LATER_REASON"])
@pytest.mark.parametrize("parts", [[{"text": "a"}], [call()]])
def test_unknown_reason_behind_something_is_no_fault_where_it_is_relayed(
    reason: str, parts: list[dict[str, Any]]
) -> None:
    """A client of Gemini's own API knows the reason. A chat has no word for it."""
    given = body(*parts, reason=reason)

    assert only_choice(read_answer(given, model="m", relays=True))["finish_reason"] == "length"
    with pytest.raises(UpstreamFault, match=reason):
        read_answer(given, model="m")


@pytest.mark.parametrize("reason", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER"])
def test_failed_or_empty_candidate_is_a_fault_where_it_is_relayed_too(reason: str) -> None:
    """Another attempt may get an answer."""
    parts = [] if reason == "OTHER" else [{"text": "a"}]
    with pytest.raises(UpstreamFault, match=reason):
        read_answer(body(*parts, reason=reason), model="m", relays=True)
