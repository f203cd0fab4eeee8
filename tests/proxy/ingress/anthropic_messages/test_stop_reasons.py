"""Tests of stop reasons."""

from __future__ import annotations

from typing import get_args

import pytest

from proxy.core.strict_chunk import FinishReason
from proxy.ingress.anthropic_messages.stop_reasons import describe_stop


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("tool_calls", "tool_use"),
        ("function_call", "tool_use"),
        ("content_filter", "refusal"),
    ],
)
def test_finish_reason_has_its_stop_reason(reason: str, stop: str) -> None:
    found = describe_stop(reason)

    assert (found["stop_reason"], found["stop_sequence"]) == (stop, None)
    assert ("stop_details" in found) == (stop == "refusal")


def test_every_finish_reason_is_known() -> None:
    for reason in get_args(FinishReason):
        assert describe_stop(reason)
