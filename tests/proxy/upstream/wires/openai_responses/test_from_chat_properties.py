"""Tests, with random histories, that OpenAI takes the request of every chat that was made legal."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.wires.openai_responses.from_chat import build_request_of_chat
from sanitizers import Unrepairable, sanitize
from sanitizers.profiles import OPENAI
from tests.proxy.upstream.deployments import LIMITS
from tests.proxy.upstream.wires.openai_responses.calling import openai
from tests.support.responses_emulator import judge_response_request
from tests.support.strategies import any_histories, damaged_histories, legal_histories, tokens_of

DEPLOYMENT = openai("openai/o3-pro")
PROFILE = OPENAI.as_items()
PARAMETERS: dict[str, Any] = {
    "tools": [{"type": "function", "function": {"name": "f"}}],
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}},
    "reasoning_effort": "low",
    "max_tokens": 20,
    "logprobs": True,
}


def body_of(messages: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the body of the request for a legal history."""
    call = UpstreamCall(DEPLOYMENT, messages, parameters, LIMITS, profile=PROFILE)
    body: dict[str, Any] = json.loads(build_request_of_chat(call, stream=False))
    return body


@given(st.one_of(legal_histories(), damaged_histories(), any_histories()), st.sampled_from([PARAMETERS, {}]))
def test_openai_takes_each_history_that_was_made_legal(
    history: list[dict[str, Any]], parameters: dict[str, Any]
) -> None:
    """A judge in OpenAI's words finds no fault, and no text of the legal history is lost."""
    try:
        legal = sanitize(history, PROFILE)
    except Unrepairable:
        return
    body = body_of(legal.messages, parameters)

    assert judge_response_request(body) is None
    written = json.dumps(body["input"], ensure_ascii=False)
    assert all(token in written for token in tokens_of([*legal.messages]))
