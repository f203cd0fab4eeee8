"""Emulates providers with OpenAI's format and rules of their own: Mistral, DeepSeek, servers with chat templates."""

from tests.support.chat_emulator.deepseek import judge_deepseek
from tests.support.chat_emulator.mistral import judge_mistral
from tests.support.chat_emulator.templates import judge_templated
from tests.support.chat_emulator.wires import DEEPSEEK, MISTRAL, TEMPLATED

__all__ = [
    "DEEPSEEK",
    "MISTRAL",
    "TEMPLATED",
    "judge_deepseek",
    "judge_mistral",
    "judge_templated",
]
