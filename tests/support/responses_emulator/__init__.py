"""Serves OpenAI's Responses API on loopback: judges requests strictly, answers plausibly, fails on demand.

Nothing is stored, since the proxy asks with ``store: false``. So every id of a stored object is unknown.
"""

from tests.support.responses_emulator.judging import judge_response_request
from tests.support.responses_emulator.sealing import owner_of, seal
from tests.support.responses_emulator.wire import RESPONSES, serving_responses

__all__ = ["RESPONSES", "judge_response_request", "owner_of", "seal", "serving_responses"]
