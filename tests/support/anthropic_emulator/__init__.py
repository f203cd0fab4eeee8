"""Emulates Anthropic's Messages API on loopback: judges requests strictly, answers plausibly, fails on demand."""

from tests.support.anthropic_emulator.caching import cache_marks
from tests.support.anthropic_emulator.errors import Refusal
from tests.support.anthropic_emulator.judging import judge_anthropic
from tests.support.anthropic_emulator.signatures import redact, sign
from tests.support.anthropic_emulator.wire import ANTHROPIC, serving_anthropic

__all__ = [
    "ANTHROPIC",
    "Refusal",
    "cache_marks",
    "judge_anthropic",
    "redact",
    "serving_anthropic",
    "sign",
]
