"""Tests of reading the fields of a Messages request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.anthropic_messages.fields import MAX_MESSAGES, MessagesFields, read_fields

USER = {"role": "user", "content": "Hi."}


def read(*, wants_answer: bool = True, **fields: Any) -> MessagesFields:
    """Read a request with *fields*."""
    body = {"model": "m", "max_tokens": 9, "messages": [USER], **fields}
    return read_fields(json.dumps(body).encode(), max_nesting=20, mends=True, wants_answer=wants_answer)


def test_parameters_have_chats_names() -> None:
    found = read(
        temperature=0.5,
        top_p=0.9,
        top_k=7,
        stop_sequences=["x"],
        service_tier="standard_only",
        thinking={"type": "adaptive"},
        output_config={"effort": "high", "format": {"type": "json_schema", "schema": {}}},
    )

    assert dict(found.parameters) == {
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 7,
        "max_tokens": 9,
        "stop": ["x"],
        "service_tier": "default",
        "reasoning_effort": "high",
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": {}}},
    }
    assert (found.unknown, found.needs, found.changes, found.conversion) == ({}, (), (), ())


def test_null_and_empty_values_count_as_not_set() -> None:
    found = read(system=None, stop_sequences=[], top_k=0, mcp_servers=[], speed=None)

    assert (dict(found.parameters), found.unknown, found.needs) == ({"max_tokens": 9}, {}, ())


def test_cache_warming_asks_for_one_token_and_is_reported() -> None:
    found = read(max_tokens=0)

    assert found.parameters["max_tokens"] == 1
    assert [change.reason for change in found.conversion] == ["output_minimum"]


@pytest.mark.parametrize(("effort", "told"), [("weird", True), ("minimal", True), ("max", False)])
def test_effort_that_other_models_do_not_know_is_reported(effort: str, told: bool) -> None:
    """Claude gets the word. A chat goes out without an effort, and says so."""
    found = read(output_config={"effort": effort})

    named = [(change.step, change.reason, change.detail) for change in found.conversion]
    assert named == ([("items", "effort_unknown", "output_config.effort")] if told else [])
    assert ("reasoning_effort" in found.parameters) != told


def test_fields_of_claude_alone_are_dropped_and_given_on() -> None:
    extra: dict[str, Any] = {
        "metadata": {"user_id": "u"},
        "context_management": {},
        "cache_control": {"type": "ephemeral"},
        "speed": "fast",
    }
    found = read(**extra)

    assert found.unknown == extra
    assert {name: found.given[name] for name in extra} == extra
    assert "messages" not in found.given


@pytest.mark.parametrize(("name", "value"), [("mcp_servers", [{}]), ("container", "c")])
def test_server_features_are_needs(name: str, value: Any) -> None:
    [need] = read(**{name: value}).needs

    assert need.param == name
    assert need.message.startswith(f"{name}: ")


def test_count_needs_no_limit_of_the_answer() -> None:
    assert "max_tokens" not in read(max_tokens=None, wants_answer=False).parameters


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"model": None}, "model"),
        ({"model": ""}, "model"),
        ({"model": 7}, "model"),
        ({"max_tokens": None}, "max_tokens"),
        ({"messages": None}, "messages"),
        ({"messages": "Hi."}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": [USER, "Hi."]}, "messages.1"),
        ({"messages": [USER] * (MAX_MESSAGES + 1)}, "messages"),
        ({"temperature": "warm"}, "temperature"),
        ({f"x{at}": 1 for at in range(1025)}, "x1024"),
    ],
)
def test_faulty_field_is_refused_by_its_path(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        read(**fields)

    assert caught.value.param == param
    asked = fields.get("model", "m")
    assert caught.value.asked_model == (asked if isinstance(asked, str) else "")


def test_deep_nesting_is_refused() -> None:
    deep: Any = "x"
    for _ in range(30):
        deep = [deep]
    with pytest.raises(InvalidRequest):
        read(messages=[{"role": "user", "content": deep}])


def test_half_character_is_mended_and_reported() -> None:
    body = b'{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"a\\ud83d"}]}'
    found = read_fields(body, max_nesting=20, mends=True)

    assert found.items == [{"role": "user", "content": "a\ufffd"}]
    assert [(change.index, change.reason) for change in found.changes] == [(0, "half_character")]
    with pytest.raises(InvalidRequest):
        read_fields(body, max_nesting=20)
