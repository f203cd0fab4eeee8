"""A strict Cohere v2 chat endpoint on loopback."""

from tests.support.cohere_emulator.judging import Refusal, judge_cohere
from tests.support.cohere_emulator.wire import COHERE

__all__ = ["COHERE", "Refusal", "judge_cohere"]
