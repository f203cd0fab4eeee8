"""Tests of the choice between the client's own items and a chat."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.source import ResponsesRequest
from proxy.core.upstream_call import UpstreamCall
from proxy.upstream.dialects.responses_models import speaks_responses
from proxy.upstream.wires.openai.wire import AZURE, OPENAI
from proxy.upstream.wires.openai_responses.eligibility import are_readable
from proxy.upstream.wires.openai_responses.eligibility import is_eligible as is_eligible_source
from proxy.upstream.wires.table import RESPONSES, wire_for
from sanitizers.native.responses.envelope import Envelope, pack_envelope, pack_summary
from tests.proxy.upstream.wires.openai_responses.calling import (
    FUNCTION,
    USER,
    call_for,
    openai,
    with_other_history,
)

OWN = pack_envelope(Envelope("gemini-x", {}, None, "Hm."))
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAx"}
DATED = {"api_base": "https://a.openai.azure.com", "api_version": "2025-04-01-preview"}


def is_eligible(call: UpstreamCall) -> bool:
    """Tell whether *call* can go out with the items of its source."""
    return is_eligible_source(call.source, call.deployment, call.messages, call.parameters)


@pytest.mark.parametrize(
    ("model", "params", "speaks"),
    [
        ("openai/gpt-4.1", {}, True),
        ("openai/gpt-4.1", {"api_base": "https://eu.api.openai.com/v1"}, True),
        ("openai/gpt-4.1", {"api_base": "http://localhost:8000/v1"}, False),
        ("azure/gpt-4.1", DATED, True),
        ("azure/gpt-4.1", {**DATED, "api_version": "2024-10-21"}, False),
        ("azure/gpt-4.1", {**DATED, "api_version": "preview"}, True),
        ("azure/gpt-4.1", {"api_base": "https://a.openai.azure.com/openai/v1"}, True),
        ("xai/grok-4", {}, True),
        ("gemini/gemini-3.6-flash", {}, False),
        ("hosted_vllm/m", {"api_base": "http://localhost:8000/v1"}, False),
        ("openrouter/openai/gpt-5", {}, False),
    ],
)
def test_openai_azure_and_xai_speak_responses(model: str, params: dict[str, Any], speaks: bool) -> None:
    """Other servers take less on their path of that name than on the one of chats."""
    assert speaks_responses(openai(model, **params)) is speaks


def test_call_with_an_unchanged_history_takes_the_wire_of_responses() -> None:
    """The wire is that of the call's provider."""
    call = call_for({"tools": [FUNCTION, {"type": "web_search"}]})

    assert is_eligible(call)
    assert wire_for(call) is RESPONSES["openai"]
    assert wire_for(call_for({}, openai("azure/g", **DATED))) is RESPONSES["azure"]


def test_call_with_another_history_is_a_chat() -> None:
    """The history is unchanged as long as it is the same object."""
    assert wire_for(with_other_history(call_for({}))) is OPENAI.chat
    assert wire_for(with_other_history(call_for({}, openai("azure/g", **DATED)))) is AZURE.chat


@pytest.mark.parametrize(
    ("changed", "eligible"),
    [
        ({"temperature": 0.5}, True),
        ({"tools": None}, False),
        ({"tools": [{"type": "function", "function": {"name": "other"}}]}, False),
        ({"tool_choice": "none"}, True),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, False),
    ],
)
def test_plan_may_change_parameters_and_not_the_tools(changed: dict[str, Any], eligible: bool) -> None:
    """A changed tool has a chat form alone. A plain choice is the same in both."""
    assert is_eligible(call_for({"tools": [FUNCTION], "tool_choice": "auto"}, **changed)) is eligible


@pytest.mark.parametrize(
    ("item", "readable"),
    [
        (USER, True),
        (THOUGHT, True),
        ({**THOUGHT, "encrypted_content": None}, False),
        ({**THOUGHT, "encrypted_content": ""}, False),
        ({**THOUGHT, "encrypted_content": 3}, False),
        ({**THOUGHT, "encrypted_content": OWN}, False),
        ({"type": "compaction", "encrypted_content": "gAAAAy"}, True),
        ({"type": "compaction", "encrypted_content": pack_summary("So far.")}, False),
        ({"type": "made_up", "encrypted_content": OWN}, True),
    ],
)
def test_sealed_item_must_be_the_providers(item: dict[str, Any], readable: bool) -> None:
    """The provider stores nothing, and reads no envelope of the proxy."""
    assert are_readable([USER, item]) is readable


@pytest.mark.parametrize(
    ("item", "readable"),
    [
        ({**THOUGHT, "encrypted_content": None}, True),
        ({"type": "reasoning", "id": "rs_1"}, True),
        ({**THOUGHT, "encrypted_content": OWN}, False),
    ],
)
def test_provider_that_stores_responses_knows_its_thoughts(item: dict[str, Any], readable: bool) -> None:
    """An envelope of the proxy stays of no use there."""
    assert are_readable([USER, item], is_stored=True) is readable


def test_call_without_a_source_is_a_chat() -> None:
    """A request that no client sent has no items."""
    call = call_for({})
    assert not is_eligible(replace(call, source=None))
    assert wire_for(replace(call, source=None)) is OPENAI.chat


def test_items_that_a_plan_has_mended_are_not_read_again() -> None:
    """A plan leaves nothing among them that the provider cannot read."""
    call = call_for({"input": [USER, {**THOUGHT, "encrypted_content": OWN}]})
    source = call.source
    assert source is not None
    assert isinstance(source.native, ResponsesRequest)
    mended = replace(source, native=replace(source.native, are_mended=True))

    assert not is_eligible(call)
    assert is_eligible(replace(call, source=mended))
