"""A strict Bedrock Converse endpoint on loopback."""

from tests.support.bedrock_emulator.judging import Refusal, judge_bedrock
from tests.support.bedrock_emulator.wire import BEDROCK

__all__ = ["BEDROCK", "Refusal", "judge_bedrock"]
