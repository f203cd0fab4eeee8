"""Emulates Cohere's chat API v2 on loopback, and judges requests strictly."""

from tests.support.cohere_emulator.judging import Refusal, judge_cohere
from tests.support.cohere_emulator.wire import COHERE

__all__ = ["COHERE", "Refusal", "judge_cohere"]
