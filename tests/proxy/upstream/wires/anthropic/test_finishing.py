"""Tests of Anthropic's stop reasons."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import UpstreamFault
from proxy.core.failures import Cause
from proxy.upstream.wires.anthropic.finishing import finish_reason, raise_broken_off


@pytest.mark.parametrize(
    ("reason", "finished"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("refusal", "content_filter"),
    ],
)
def test_stop_reason_has_its_finish_reason(reason: str, finished: str) -> None:
    """A full window is no finished answer, as it is with litellm."""
    assert finish_reason(reason) == finished


@pytest.mark.parametrize("reason", ["", "x" * 1000, 3, None, ["end_turn"]])
def test_unknown_stop_reason_is_a_fault(reason: Any) -> None:
    """An unknown reason must not mean a complete answer."""
    with pytest.raises(UpstreamFault) as fault:
        finish_reason(reason)
    assert fault.value.cause is Cause.ODD_END
    assert len(fault.value.message) < 400


def test_answer_without_an_end_is_a_fault() -> None:
    """It is retried like any answer that broke off."""
    with pytest.raises(UpstreamFault) as fault:
        raise_broken_off()
    assert fault.value.cause is Cause.TRUNCATED
