"""A strict OpenAI chat endpoint on loopback: judges histories, answers plausibly, fails on demand."""

from tests.support.openai_emulator.judging import Refusal, judge_openai, judge_openai_body
from tests.support.openai_emulator.server import (
    EMULATOR,
    Fault,
    OpenAIEmulator,
    RecordedRequest,
    create_openai_emulator,
    serving_openai,
)

__all__ = [
    "EMULATOR",
    "Fault",
    "OpenAIEmulator",
    "RecordedRequest",
    "Refusal",
    "create_openai_emulator",
    "judge_openai",
    "judge_openai_body",
    "serving_openai",
]
