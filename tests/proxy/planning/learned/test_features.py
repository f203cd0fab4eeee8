"""Tests of the part of a request that a repair is learned for."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.planning.learned.features import feature_of, has_field, has_parameter, named_value
from tests.proxy.planning.repairs.asking import History, draft_of
from tests.proxy.planning.repairs.cases import answer_of, object_of, tools_of
from tests.support.builders import assistant, call, developer, system, tool, user

STRING, NUMBER = {"type": "string"}, {"type": "number"}
FUNCTION = {"name": "f", "parameters": object_of(a=STRING)}
TOOLS = {"tools": [{"type": "function", "function": FUNCTION}]}
ASK = [user()]


@pytest.mark.parametrize("fault", ["schema", "states"])
@pytest.mark.parametrize(
    ("parameters", "is_same"),
    [
        (TOOLS, True),
        ({**TOOLS, "temperature": 1}, True),
        ({"tools": [{"type": "function", "function": {**FUNCTION, "name": "g", "description": "d"}}]}, True),
        ({"functions": [FUNCTION]}, True),
        (tools_of(object_of(a=NUMBER)), False),
        (tools_of(object_of(b=STRING)), False),
        ({"tools": TOOLS["tools"] * 2}, False),
        ({**TOOLS, "functions": [FUNCTION]}, False),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, False),
        ({"tools": ["f"], "functions": None}, False),
        (answer_of(object_of(a=STRING)), False),
        ({}, False),
    ],
)
def test_tools_have_one_feature_by_their_schemas(
    fault: str, parameters: dict[str, Any], is_same: bool
) -> None:
    """Names and descriptions do not count. Every schema does, and so does their number."""
    feature = feature_of(fault, draft_of(ASK, TOOLS))

    assert len(feature) == 16
    assert (feature_of(fault, draft_of(ASK, parameters)) == feature) is is_same


@pytest.mark.parametrize(
    ("parameters", "is_same"),
    [
        (answer_of(object_of(a=STRING)), True),
        ({**answer_of(object_of(a=STRING)), **TOOLS}, True),
        (answer_of(object_of(a=NUMBER)), False),
        ({"response_format": {"type": "json_object"}}, False),
        (tools_of(object_of(a=STRING)), False),
    ],
)
def test_answer_has_one_feature_by_its_form(parameters: dict[str, Any], is_same: bool) -> None:
    feature = feature_of("answer_schema", draft_of(ASK, answer_of(object_of(a=STRING))))

    assert (feature_of("answer_schema", draft_of(ASK, parameters)) == feature) is is_same


@pytest.mark.parametrize(
    ("messages", "role"),
    [
        ([user(), assistant("a")], "assistant"),
        ([assistant(None, [call("c")]), tool("c")], "tool"),
        ([user(), assistant("a"), system(), developer()], "assistant"),
        ([system()], ""),
        ([], ""),
    ],
)
def test_feature_of_a_refused_end_is_the_role_of_the_last_turn(messages: History, role: str) -> None:
    assert feature_of("tail", draft_of(messages)) == role


def test_faults_of_every_request_have_no_feature() -> None:
    draft = draft_of(ASK, {**TOOLS, **answer_of(STRING)})

    assert {
        feature_of(fault, draft) for fault in ("alternation", "call_ids", "system_role", "reasoning")
    } == {""}


@pytest.mark.parametrize(
    ("feature", "parameters", "is_there"),
    [
        ("temperature", {"temperature": 0.2}, True),
        ("temperature", {"temperature": None}, True),
        ("temperature", {"top_p": 0.2}, False),
        ("temp", {"temperature": 0.2}, False),
        (named_value("temperature", 0.2), {"temperature": 0.2}, True),
        (named_value("temperature", 0.2), {"temperature": 0.3}, False),
        (named_value("temperature", 0.2), {"top_p": 0.2}, False),
        (named_value("tool_choice", {"type": "a", "b": [1]}), {"tool_choice": {"type": "a", "b": [1]}}, True),
        (
            named_value("tool_choice", {"type": "a", "b": [1]}),
            {"tool_choice": {"type": "a", "b": [2]}},
            False,
        ),
        (named_value("stop", "\ud800"), {"stop": "\ud800"}, True),
    ],
)
def test_parameter_counts_with_its_refused_value(
    feature: str, parameters: dict[str, Any], is_there: bool
) -> None:
    """A parameter that was refused with one value may be accepted with another."""
    assert has_parameter(feature, parameters) is is_there


def test_feature_holds_no_value_of_a_client() -> None:
    """A feature stands in logs and in the store."""
    assert "secret" not in named_value("stop", "my secret")


@pytest.mark.parametrize(
    ("messages", "is_there"),
    [
        ([assistant(None, [call("c", index=0)])], True),
        ([assistant(None, [call("c", Index=0)])], True),
        ([assistant(None, [call("a"), {**call("c"), "function": {"name": "f", "index": 1}}])], True),
        ([assistant(None, [call("c", indexes=0)])], False),
        ([assistant(None, [{"id": "c", "type": "custom", "function": None}], index=0)], False),
        ([user(index=0)], False),
    ],
)
def test_field_is_that_of_a_call_or_its_function(messages: History, is_there: bool) -> None:
    assert has_field("index", draft_of(messages)) is is_there
