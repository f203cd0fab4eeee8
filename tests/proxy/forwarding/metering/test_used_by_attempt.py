"""Tests that an attempt is taken to have used something exactly where its provider bills."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest, UpstreamFault, UpstreamTimeout, UpstreamUnreachable
from proxy.core.failures import Cause, Evidence
from proxy.core.usage_so_far import UsageReports, UsageSoFar
from proxy.forwarding.metering.used_by_attempt import AttemptUse

ENDS: dict[str, tuple[BaseException | None, bool]] = {
    "complete": (None, True),
    "client gone": (asyncio.CancelledError(), True),
    "connection to the client lost": (ConnectionResetError(), True),
    "time limit of the attempt": (TimeoutError(), True),
    "no first byte": (UpstreamTimeout("Late."), True),
    "broke off": (UpstreamFault("Broken.", cause=Cause.TRUNCATED), True),
    "reasoning alone": (UpstreamFault("Empty.", cause=Cause.THINKING_ONLY), True),
    "refused": (UpstreamFault("No.", upstream_status=429), False),
    "provider down": (UpstreamFault("No.", upstream_status=503), False),
    "not reached": (UpstreamUnreachable("No."), False),
    "not connected in time": (UpstreamTimeout("No.", cause=Cause.CONNECT_TIMEOUT), False),
    "no credentials": (UpstreamFault("No.", cause=Cause.NO_CREDENTIALS), False),
    "not planned": (InvalidRequest("No."), False),
    "defect of ours": (RuntimeError(), False),
}


@pytest.mark.parametrize(("error", "used"), ENDS.values(), ids=ENDS)
def test_end_tells_if_something_was_used(error: BaseException | None, used: bool) -> None:
    """Without any report or text, the kind of the end decides."""
    assert AttemptUse().has_used(error) is used


def test_usage_is_found_in_a_body_of_status_200_alone() -> None:
    """An error that quotes a usage was not billed."""
    body = b'{"usage": {"prompt_tokens": 7, "completion_tokens": 3}}'

    def found(status: int) -> Any:
        return AttemptUse().find_usage(UpstreamFault("No.", evidence=Evidence(status, {}, body)))

    assert found(200)["completion_tokens"] == 3
    assert found(400) is None


def test_report_of_one_part_is_no_report_of_the_whole() -> None:
    use = AttemptUse()
    use.reports = UsageReports()
    use.reports.parts += [{"prompt_tokens": 7, "total_tokens": 7}]
    assert use.find_usage(None) == {"prompt_tokens": 7, "completion_tokens": 0}

    use.reports.parts += [None]
    assert use.find_usage(None) is None


def test_stream_of_a_transport_reports_before_the_first_chunk() -> None:
    """Anthropic's first event has no text, so the client may leave before any chunk came."""
    said = UsageSoFar({"prompt_tokens": 7}, covers_text=False)
    use = AttemptUse()
    use.reports = UsageReports()
    assert use.usage_so_far() is None

    use.reports.read = lambda: said
    assert use.usage_so_far() is said


def test_hostile_answer_has_only_its_texts() -> None:
    """Values of other types than text are no text, and do not raise."""
    use = AttemptUse()
    message = {"content": ["x"], "tool_calls": [{"function": None}, {"function": {"arguments": {"a": 1}}}]}
    use.answer = {"choices": [{"message": message}, {"message": None, "text": "word"}]}
    received = use.received()

    assert received is not None
    assert received.pieces == ["word"]
