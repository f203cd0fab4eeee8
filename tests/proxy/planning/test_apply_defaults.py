"""Tests of a deployment's default parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.chat_request import ChatRequest
from proxy.planning.apply_defaults import with_defaults
from tests.support.replay import deployment_of

TOOLS = [{"type": "function", "function": {"name": "f"}}]


def request_with(parameters: dict[str, Any]) -> ChatRequest:
    """Return a request that has *parameters* alone."""
    return ChatRequest("m", [], False, False, parameters, {}, weight=0)


@pytest.mark.parametrize(
    ("defaults", "given", "sent"),
    [
        ({"temperature": 0.2}, {}, {"temperature": 0.2}),
        ({"temperature": 0.2}, {"temperature": 0}, {"temperature": 0}),
        ({"temperature": 0.2, "top_p": 0.5}, {"top_p": 1}, {"temperature": 0.2, "top_p": 1}),
        ({"max_tokens": 10}, {"max_completion_tokens": 20}, {"max_completion_tokens": 20}),
        ({"max_completion_tokens": 10}, {"max_tokens": 20}, {"max_tokens": 20}),
        ({"thinking": {"type": "enabled"}}, {"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ({"tool_choice": "required", "parallel_tool_calls": False}, {}, {}),
        ({"dimensions": 3, "seed": 1}, {}, {"seed": 1}),
        ({"tool_choice": "required"}, {"tools": TOOLS}, {"tools": TOOLS, "tool_choice": "required"}),
    ],
)
def test_default_is_used_where_the_request_says_nothing(
    defaults: dict[str, Any], given: dict[str, Any], sent: dict[str, Any]
) -> None:
    """A request's own value wins over a default, also under the parameter's other name."""
    request = request_with(given)

    assert with_defaults(request, replace(deployment_of("openai/m"), defaults=defaults)).parameters == sent
    assert request.parameters == given


def test_request_of_a_deployment_without_defaults_is_not_copied() -> None:
    request = request_with({"temperature": 1})

    assert with_defaults(request, deployment_of("openai/m")) is request
