"""The status of a response follows from the finish reason, and from what the answer holds."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.echo import ResponseHead, make_echo
from proxy.ingress.openai_responses.finish_response import ends_in_silence, failed, finished
from tests.support.responses_grammar import find_response_faults

HEAD = ResponseHead("resp_1", 5, make_echo({"model": "m"}))
TEXT = {
    "id": "msg_1",
    "type": "message",
    "status": "completed",
    "content": [{"type": "output_text", "text": "a"}],
}
THOUGHTS = {"id": "rs_1", "type": "reasoning", "summary": []}


@pytest.mark.parametrize(
    ("output", "reason", "status", "details"),
    [
        ([TEXT], "stop", "completed", None),
        ([THOUGHTS, TEXT], "tool_calls", "completed", None),
        ([TEXT], "function_call", "completed", None),
        ([TEXT], "length", "incomplete", {"reason": "max_output_tokens"}),
        ([], "length", "incomplete", {"reason": "max_output_tokens"}),
        ([THOUGHTS], "content_filter", "incomplete", {"reason": "content_filter"}),
        ([], "stop", "failed", None),
        ([THOUGHTS], "stop", "failed", None),
    ],
)
def test_the_status_follows_from_the_finish_reason(
    output: list[dict[str, Any]], reason: str, status: str, details: dict[str, str] | None
) -> None:
    """A response has one status, and only the fields that go with it."""
    usage = {"total_tokens": 1}

    found = finished(HEAD, output, reason, usage, 9)

    assert (found["status"], found["incomplete_details"], found["usage"]) == (status, details, usage)
    assert found["completed_at"] == (9 if status == "completed" else None)
    assert find_response_faults(found) == []
    assert ends_in_silence(output, reason) == (status == "failed")


def test_a_failed_response_has_its_error() -> None:
    """The error has a code and a message, and the output is what was there."""
    found = failed(HEAD, [TEXT], {"code": "server_error", "message": "No."}, None)

    assert (found["status"], found["error"]) == ("failed", {"code": "server_error", "message": "No."})
    assert found["output"] == [TEXT]
    assert find_response_faults(found) == []
