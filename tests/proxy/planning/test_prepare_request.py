"""Tests that one request is made legal for its deployment, and that its parts agree with each other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.config import resolve
from proxy.ingress.openai_chat.read_request import parse_chat_request
from proxy.planning.plan_target import profile_of
from proxy.planning.prepare_request import Prepared, prepare_request
from sanitizers import Unrepairable, find_violations
from tests.support.builders import assistant, call, tool, user
from tests.support.proxied import chat, settings_of
from tests.support.strategies import any_histories, damaged_histories, legal_histories


def prepared(model: str, params: Mapping[str, Any] = MappingProxyType({}), **fields: Any) -> Prepared:
    """Return a request that is prepared for *model* with these ``litellm_params``.

    The provider takes every parameter.
    """
    settings = settings_of({"m": {"model": model, **params}})
    [deployment] = resolve(settings, "m")
    request = parse_chat_request(json.dumps({**chat(), "model": "m", **fields}).encode(), max_nesting=100)
    profile = profile_of(deployment, settings.sanitize)
    return prepare_request(request.messages, request, deployment, profile, lambda *_: frozenset())


ROUND = [user("go"), assistant(None, [call("c1", "f")]), tool("c1")]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]


@pytest.mark.parametrize(
    ("effort", "echoed"),
    [({}, False), ({"reasoning_effort": "none"}, False), ({"reasoning_effort": "high"}, True)],
)
def test_a_model_in_thinking_mode_gets_its_reasoning(effort: dict[str, Any], echoed: bool) -> None:
    """DeepSeek's chat model requires ``reasoning_content`` only in thinking mode."""
    done = prepared("deepseek/deepseek-chat", messages=ROUND, tools=TOOLS, **effort)

    assert ("reasoning_content" in done.messages[1]) is echoed


def asked_to_continue(settings: dict[str, Any], **fields: Any) -> Prepared:
    """Return a request that ends with the model's own turn, for a Mistral model behind vLLM with these settings."""
    messages = [user("go"), assistant("Well")]
    return prepared("hosted_vllm/mistral-nemo", settings, messages=messages, **fields)


ALLOWED = {"allowed_openai_params": ["continue_final_message"]}
IN_BODY = {"extra_body": {"continue_final_message": True}}


@pytest.mark.parametrize(
    ("settings", "fields", "closed"),
    [
        ({}, {}, True),
        ({}, {"continue_final_message": True}, True),
        (ALLOWED, {"continue_final_message": True}, False),
        (ALLOWED, {"continue_final_message": False}, True),
        (ALLOWED, {}, True),
        (IN_BODY, {}, False),
        (ALLOWED | IN_BODY, {"continue_final_message": False}, True),
    ],
)
def test_trailing_turn_stays_where_the_server_is_asked_to_go_on(
    settings: dict[str, Any], fields: dict[str, Any], closed: bool
) -> None:
    """``continue_final_message`` counts only if it reaches the server: allowed by name, or in ``extra_body``."""
    done = asked_to_continue(settings, **fields)

    assert [change.reason for change in done.changes] == ["trailing_model_turn"] * closed
    assert done.messages[-1]["role"] == ("user" if closed else "assistant")


def test_history_and_declarations_share_tool_names() -> None:
    """History and declarations get the same new name. A map leads back to the client's name."""
    tools = [{"type": "function", "function": {"name": "a b", "parameters": {"const": {"x": 1}}}}]
    history = [user("go"), assistant(None, [call("c1", "a b")]), tool("c1")]
    done = prepared("gemini/gemini-2.5-flash", messages=history, tools=tools)
    [declared] = done.parameters["tools"]
    new = declared["function"]["name"]

    assert done.messages[1]["tool_calls"][0]["function"]["name"] == new != "a b"
    assert done.client_tool_names == {new: "a b"}
    assert {change.step for change in done.changes} == {"tools"}
    assert done.declared


MODELS = (
    "gemini/gemini-2.5-flash",
    "gemini/gemini-3.6-flash",
    "openai/gpt-4o",
    "mistral/mistral-small-latest",
)
TARGETS = settings_of({model: model for model in MODELS})
ILLEGAL = {'"f"': '"工"', '"read_file"': '"read file"', '"grep"': '"read/file"'}


@given(
    st.one_of(any_histories(), damaged_histories(), legal_histories()),
    st.sets(st.sampled_from(sorted(ILLEGAL))),
    st.sampled_from(MODELS),
)
def test_violations_are_those_of_the_client_s_history(
    drawn: list[dict[str, Any]], names: set[str], model: str
) -> None:
    """The reported violations are those of the client's history, although tool names are changed first."""
    written = json.dumps(drawn, ensure_ascii=False)
    for name in sorted(names):
        written = written.replace(name, ILLEGAL[name])
    history = json.loads(written)
    [deployment] = resolve(TARGETS, model)
    profile = profile_of(deployment, TARGETS.sanitize)
    request = parse_chat_request(json.dumps({**chat(), "model": model}).encode(), max_nesting=100)
    try:
        done = prepare_request(history, request, deployment, profile, lambda *_: frozenset())
    except Unrepairable:
        return

    assert done.outcome.found == find_violations(history, profile)
