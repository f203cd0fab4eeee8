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
