"""Serves OpenAI's endpoints on loopback: judges requests strictly, answers plausibly, fails on demand."""

from tests.support.emulated import EMULATOR, Fault, RecordedRequest
from tests.support.emulated import Emulator as OpenAIEmulator
from tests.support.openai_emulator.judging import Refusal, judge_openai, judge_openai_body
from tests.support.openai_emulator.wire import OPENAI, create_openai_emulator, serving_openai

__all__ = [
    "EMULATOR",
    "OPENAI",
    "Fault",
    "OpenAIEmulator",
    "RecordedRequest",
    "Refusal",
    "create_openai_emulator",
    "judge_openai",
    "judge_openai_body",
    "serving_openai",
]
