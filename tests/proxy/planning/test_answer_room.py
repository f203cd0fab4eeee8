"""Tests of limits of answers that are lowered for a prompt that fits without them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.planning.answer_room import LEAST_ROOM, find_room, with_room
from proxy.resilience.read_overflow import Overflow

CLAUDE = Overflow(200_000, 150_000)
VLLM = Overflow(32_768, 40_000, output=32_000, with_output=True)


def messages(**parameters: Any) -> ChatRequest:
    """Return a request of the Messages API with other chat *parameters*."""
    body = {"model": "m", "max_tokens": 32_000, "messages": [{"role": "user", "content": "Hi."}]}
    request = read_request(json.dumps(body).encode(), max_nesting=100)
    return replace(request, parameters=parameters or request.parameters)


MESSAGES = messages()
CHAT = replace(MESSAGES, source=None)


@pytest.mark.parametrize(
    ("overflow", "request_", "room"),
    [
        (CLAUDE, CHAT, 50_000),
        (CLAUDE, MESSAGES, 50_000),
        (VLLM, MESSAGES, 24_768),
        (VLLM, CHAT, None),
        (VLLM._replace(output=None), MESSAGES, None),
        (VLLM._replace(output=50_000), MESSAGES, None),
        (Overflow(200_000, 200_000 - LEAST_ROOM), CHAT, LEAST_ROOM),
        (Overflow(200_000, 200_001 - LEAST_ROOM), CHAT, None),
        (Overflow(200_000, 250_000), CHAT, None),
        (Overflow(200_000), CHAT, None),
        (Overflow(requested=5), CHAT, None),
        (CLAUDE._replace(in_request=True), CHAT, None),
        (CLAUDE._replace(of_bytes=True), CHAT, None),
    ],
)
def test_room_is_what_the_prompt_leaves(overflow: Overflow, request_: ChatRequest, room: int | None) -> None:
    """A chat whose provider counts both together is cut, as before. A quotation proves nothing."""
    assert find_room(overflow, request_) == room


@pytest.mark.parametrize(
    ("given", "after", "lowered"),
    [
        ({"max_tokens": 9_000}, {"max_tokens": 5_000}, ["max_tokens"]),
        (
            {"temperature": 1, "max_completion_tokens": 9_000},
            {"temperature": 1, "max_completion_tokens": 5_000},
            ["max_completion_tokens"],
        ),
        ({"temperature": 1}, {"temperature": 1, "max_tokens": 5_000}, ["max_tokens"]),
        ({"max_tokens": 5_000}, {"max_tokens": 5_000}, []),
    ],
)
def test_limit_is_only_ever_lowered(given: dict[str, Any], after: dict[str, Any], lowered: list[str]) -> None:
    request = messages(**given)
    done, changes = with_room(request, 5_000)

    assert done.parameters == after
    assert [(change.step, change.reason, change.detail) for change in changes] == [
        ("repair", "answer_room", name) for name in lowered
    ]
    assert (done is request) == (not lowered)
