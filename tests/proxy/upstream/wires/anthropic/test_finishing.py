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


@pytest.mark.parametrize("reason", ["compaction", "x" * 1000])
def test_word_of_a_later_version_ends_a_chat(reason: str) -> None:
    """The answer is whole. A client of the Messages API gets the word itself."""
    assert finish_reason(reason) == "stop"


@pytest.mark.parametrize("reason", ["", 3, None, ["secret"]])
def test_stop_reason_that_is_no_word_is_a_fault(reason: Any) -> None:
    """Such a reason must not mean a complete answer. The fault quotes nothing of it."""
    with pytest.raises(UpstreamFault) as fault:
        finish_reason(reason)
    assert fault.value.cause is Cause.ODD_END
    assert "secret" not in fault.value.message


def test_answer_without_an_end_is_a_fault() -> None:
    """It is retried like any answer that broke off."""
    with pytest.raises(UpstreamFault) as fault:
        raise_broken_off()
    assert fault.value.cause is Cause.TRUNCATED
