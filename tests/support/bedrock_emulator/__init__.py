"""Emulates Bedrock's Converse API on loopback, and judges requests strictly."""

from tests.support.bedrock_emulator.judging import Refusal, judge_bedrock
from tests.support.bedrock_emulator.wire import BEDROCK

__all__ = ["BEDROCK", "Refusal", "judge_bedrock"]
