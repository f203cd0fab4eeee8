"""Emulates Ollama's `/api/chat` on loopback, and judges requests strictly."""

from tests.support.ollama_emulator.judging import Refusal, judge_ollama
from tests.support.ollama_emulator.wire import OLLAMA

__all__ = ["OLLAMA", "Refusal", "judge_ollama"]
