"""Tests of which chats are asked through the Responses API."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from proxy.upstream.dialects import dialect_for, dialect_of, table
from proxy.upstream.dialects.responses_models import (
    LEAST_OUTPUT,
    NO_FIELD,
    asks_responses,
    asks_with_tools,
    may_ask_with_tools,
    over_responses,
    speaks_responses,
)
from tests.proxy.upstream.deployments import deployment_of

HERE = {"api_base": "http://127.0.0.1:1/v1"}
OLD = {"api_base": "https://r.openai.azure.com", "api_version": "2024-10-21"}
NEW = {**OLD, "api_version": "2025-04-01-preview"}
V1 = {**OLD, "api_version": "v1"}
TOOLS = [{"type": "function", "function": {"name": "f"}}]

Mode = Literal["chat", "responses"]


@pytest.mark.parametrize(
    ("model", "params", "mode", "asks"),
    [
        ("openai/gpt-5.3-codex", {}, None, True),
        ("gpt-5.3-codex", {}, None, True),
        ("openai/o3-pro", {}, None, True),
        ("openai/o3-deep-research", {"api_base": "https://eu.api.openai.com/v1"}, None, True),
        ("openai/responses/ours", {}, None, True),
        ("openai/gpt-5.3-codex", HERE, None, False),
        ("openai/responses/ours", HERE, None, False),
        ("openai/anything", HERE, "responses", True),
        ("openai/gpt-5.3-codex", {}, "chat", False),
        ("openai/gpt-4.1", {}, None, False),
        ("openai/gpt-5.5", {}, None, False),
        ("azure/gpt-5.1-codex", V1, None, True),
        ("azure/gpt-5.1-codex", OLD, None, True),
        ("azure/responses/ours", V1, None, True),
        ("azure/ours", V1, None, False),
        ("azure/ours", V1, "responses", True),
        ("xai/grok-4.20-multi-agent", {}, None, True),
        ("xai/grok-4", {}, None, False),
        ("databricks/databricks-gpt-5-5", HERE, None, False),
        ("databricks/databricks-gpt-5-5", HERE, "responses", True),
        ("hosted_vllm/llama", HERE, "responses", True),
        ("gemini/gemini-3.6-flash", {}, "responses", False),
        ("anthropic/claude-x", {}, "responses", False),
    ],
)
def test_table_and_operator_say_which_models_have_no_chats(
    model: str, params: dict[str, Any], mode: Mode | None, asks: bool
) -> None:
    """The operator's word counts at every provider of OpenAI's wire, and litellm's table at OpenAI, Azure and xAI."""
    deployment = replace(deployment_of(model, **params), mode=mode)

    assert asks_responses(deployment) is asks
    if mode == "responses":
        assert speaks_responses(deployment) is asks


@pytest.mark.parametrize(
    ("model", "params", "mode", "parameters", "asks"),
    [
        ("openai/gpt-5.5", {}, None, {"tools": TOOLS}, True),
        ("openai/gpt-5.4", {}, None, {"tools": TOOLS, "reasoning_effort": "low"}, True),
        ("openai/gpt-6-sol", {}, None, {"tools": TOOLS}, True),
        ("openai/gpt-5.4", {}, None, {"tools": TOOLS, "reasoning_effort": "none"}, False),
        ("openai/gpt-5.4", {}, None, {"tools": TOOLS, "functions": []}, False),
        ("openai/gpt-5.4", {}, None, {"tools": []}, False),
        ("openai/gpt-5.4", {}, None, {}, False),
        ("openai/gpt-5.4", {}, "chat", {"tools": TOOLS}, False),
        ("openai/gpt-5.4", HERE, None, {"tools": TOOLS}, False),
        ("openai/gpt-5.3", {}, None, {"tools": TOOLS}, False),
        ("openai/gpt-4.1", {}, None, {"tools": TOOLS}, False),
        ("openai/my-gpt-5.4", {}, None, {"tools": TOOLS}, False),
        ("azure/gpt-5.4", NEW, None, {"tools": TOOLS}, True),
        ("azure/us/gpt-6-sol", V1, None, {"tools": TOOLS}, True),
        ("azure/gpt-5.4", OLD, None, {"tools": TOOLS}, False),
        ("github/gpt-5.5", {}, None, {"tools": TOOLS}, False),
    ],
)
def test_tools_of_newer_models_need_the_api_while_they_reason(
    model: str, params: dict[str, Any], mode: Mode | None, parameters: dict[str, Any], asks: bool
) -> None:
    """OpenAI says: "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions."."""
    deployment = replace(deployment_of(model, **params), mode=mode)

    assert asks_with_tools(deployment, parameters) is asks
    assert not asks or may_ask_with_tools(deployment)


def test_rules_over_responses_leave_out_what_has_no_field() -> None:
    row = over_responses(table.MISTRAL)

    assert row.name == "mistral-responses"
    assert row.dropped == table.MISTRAL.dropped | NO_FIELD
    assert (row.answers, row.least_output, row.functions, row.names) == (1, LEAST_OUTPUT, False, ())
    assert row.limit == "any"
    assert over_responses(table.MISTRAL) is row


def test_row_follows_from_the_model_and_from_the_tools() -> None:
    """Litellm's transport has the rules of chats."""
    codex, newer = deployment_of("openai/gpt-5.3-codex"), deployment_of("openai/gpt-5.5")

    assert dialect_for(codex, "direct").name == "openai-responses"
    assert dialect_for(codex, "litellm").name == "openai"
    assert dialect_of(newer, "direct", {"tools": TOOLS}).name == "openai-responses"
    assert dialect_of(newer, "litellm", {"tools": TOOLS}).name == "openai"
    assert dialect_of(newer, "direct", {}).name == "openai"
