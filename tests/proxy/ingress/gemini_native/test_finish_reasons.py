"""Tests of the finish reason of a candidate."""

from __future__ import annotations

from typing import get_args

from proxy.core.strict_chunk import FinishReason
from proxy.ingress.gemini_native.finish_reasons import FINISH_REASONS
from tests.support.gemini_grammar import FINISH_REASONS as KNOWN


def test_each_reason_of_a_chat_has_one_of_geminis() -> None:
    assert FINISH_REASONS.keys() == set(get_args(FinishReason))
    assert set(FINISH_REASONS.values()) <= KNOWN


def test_answer_with_calls_ends_as_any_other() -> None:
    assert FINISH_REASONS["tool_calls"] == FINISH_REASONS["stop"] == "STOP"
