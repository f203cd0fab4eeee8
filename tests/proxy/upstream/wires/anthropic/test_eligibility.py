"""Tests of the calls that go out with the messages of their client."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from proxy.core.json_text import write_json
from proxy.core.source import MessagesRequest, Source
from proxy.ingress.anthropic_messages.read_request import read_request
from proxy.upstream.wires.anthropic.eligibility import are_readable, is_eligible
from tests.proxy.upstream.deployments import deployment_of
from tests.sanitizers.native.messages.building import assistant, sealed, thought, used, user

CLAUDE = deployment_of("anthropic/claude-opus-4-8", api_key="k")
TOOL = {"name": "f", "input_schema": {"type": "object"}}


def source_of(*messages: Any, **fields: Any) -> Source:
    """Return the source of a request with *messages*."""
    body = {"model": "m", "max_tokens": 1, "messages": messages or [user("go")], **fields}
    source = read_request(write_json(body), max_nesting=100).source
    assert source is not None
    return source


def native_of(source: Source) -> MessagesRequest:
    """Return the native form of *source*."""
    assert isinstance(source.native, MessagesRequest)
    return source.native


@pytest.mark.parametrize(
    ("model", "params", "goes"),
    [
        ("anthropic/claude-opus-4-8", {}, True),
        ("anthropic/glm-5", {"api_base": "https://api.z.ai/api/anthropic"}, True),
        ("openai/gpt-4.1", {}, False),
        ("gemini/gemini-3.6-flash", {}, False),
    ],
)
def test_servers_with_the_api_get_it(model: str, params: dict[str, Any], goes: bool) -> None:
    """Any server that is named by the provider ``anthropic`` has this API."""
    source = source_of()

    assert (
        is_eligible(
            source, deployment_of(model, api_key="k", **params), source.messages, native_of(source).parameters
        )
        is goes
    )


def test_history_of_another_plan_goes_as_a_chat() -> None:
    """The native messages belong to one history."""
    source = source_of()

    assert not is_eligible(source, CLAUDE, [*source.messages], native_of(source).parameters)
    assert not is_eligible(None, CLAUDE, source.messages, {})
    assert not is_eligible(replace(source, native=None), CLAUDE, source.messages, {})


@pytest.mark.parametrize(
    ("blocks", "readable"),
    [
        ([thought("S1"), used("a")], True),
        ([thought(""), used("a")], True),
        ([sealed("a"), used("a")], False),
        ([{"type": "redacted_thinking", "data": "tr1_x"}, used("a")], False),
    ],
)
def test_envelopes_make_messages_unreadable(blocks: list[Any], readable: bool) -> None:
    """Messages that were mended have none, and are not searched."""
    items = [user("go"), assistant(*blocks)]
    source = source_of(*items)
    mended = replace(source, native=replace(native_of(source), are_mended=True))
    parameters = native_of(source).parameters

    assert are_readable(items) is readable
    assert is_eligible(source, CLAUDE, source.messages, parameters) is readable
    assert is_eligible(mended, CLAUDE, source.messages, parameters)
