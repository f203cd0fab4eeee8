"""Tests of the ``shape`` step for calls, their arguments, and the legacy forms of both."""

from __future__ import annotations

import pytest

from sanitizers.profiles import OPENAI
from sanitizers.provider_profiles import CHAT_TEMPLATE_MISTRAL, COHERE, MISTRAL
from sanitizers.steps.shape import normalize_shape
from tests.sanitizers.steps.case import Case, History, check
from tests.support.builders import assistant, call, legacy_call, legacy_result, tool, user, without

GO = user("go")
ID = "abcdefgh1"
PARSED = {"name": "f", "arguments": "{}", "parsed_arguments": None}


def asks(arguments: object, name: str = "f") -> History:
    """Return an exchange whose call has *arguments*."""
    raw = {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}
    return [GO, {"role": "assistant", "content": None, "tool_calls": [raw]}, tool("a")]


CALLS = [
    Case("an object stays as it was written", asks('{"x":  1}'), None),
    Case("no arguments are an empty object", asks(""), asks("{}"), [("replaced", 1, "arguments")]),
    Case("null arguments are an empty object", asks(None), asks("{}"), [("replaced", 1, "arguments")]),
    Case("the text null is an empty object", asks("null"), asks("{}"), [("replaced", 1, "arguments")]),
    Case("a dict is written as JSON", asks({"x": "ü"}), asks('{"x": "ü"}'), [("replaced", 1, "arguments")]),
    Case(
        "an array is kept as raw text",
        asks("[1, 2]"),
        asks('{"_raw": "[1, 2]"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "broken JSON is kept as raw text, not completed",
        asks('{"path": "/tm'),
        asks('{"_raw": "{\\"path\\": \\"/tm"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "a bare string is kept as raw text",
        asks('"x"'),
        asks('{"_raw": "\\"x\\""}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "an object encoded twice is decoded once",
        asks('"{\\"x\\": 1}"'),
        asks('{"x": 1}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "NaN is no JSON",
        asks('{"x": NaN}'),
        asks('{"_raw": "{\\"x\\": NaN}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "infinity in disguise is no JSON",
        asks('{"x": 1e999}'),
        asks('{"_raw": "{\\"x\\": 1e999}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case(
        "a lone surrogate cannot be carried",
        asks('{"x": "\\ud800"}'),
        asks('{"_raw": "{\\"x\\": \\"\\\\ud800\\"}"}'),
        [("replaced", 1, "arguments")],
    ),
    Case("OpenAI takes any string", asks('{"a":'), None, (), OPENAI),
    Case("OpenAI takes no null arguments", asks(None), asks("{}"), [("replaced", 1, "arguments")], OPENAI),
    Case(
        "an empty call list goes",
        [GO, assistant("b", tool_calls=[])],
        [GO, assistant("b")],
        [("dropped", 1, "empty_tool_calls")],
    ),
    Case("null calls say nothing", [GO, assistant("b", tool_calls=None)], None),
    Case(
        "a call without a function goes",
        [GO, assistant("b", tool_calls=[{"id": "a", "type": "function"}])],
        [GO, assistant("b")],
        [("dropped", 1, "call_unreadable")],
    ),
    Case(
        "a call without a name goes, and the message with it when nothing is left",
        [GO, assistant(None, tool_calls=[call("a", "")])],
        [GO],
        [("dropped", 1, "call_unreadable"), ("dropped", 1, "empty_message")],
    ),
    Case(
        "only the assistant makes calls",
        [user("a", tool_calls=[call("x")], function_call={"name": "f"})],
        [user("a")],
        [("dropped", 0, "misplaced_calls"), ("dropped", 0, "misplaced_calls")],
    ),
    Case(
        "a custom call becomes a function call",
        [
            GO,
            assistant(
                tool_calls=[{"id": "a", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}]
            ),
            tool("a"),
        ],
        [GO, assistant(calls=[call("a", "sql", '{"input": "SELECT"}')]), tool("a")],
        [("replaced", 1, "custom_call")],
    ),
    Case(
        "a call without a type gets one",
        [GO, assistant(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}}]), tool("a")],
        [
            GO,
            assistant(
                tool_calls=[{"id": "a", "function": {"name": "f", "arguments": "{}"}, "type": "function"}]
            ),
            tool("a"),
        ],
        [("replaced", 1, "call_type")],
    ),
    Case(
        "OpenAI takes the legacy forms",
        [GO, legacy_call("f"), {"role": "function", "name": "f", "content": "1"}],
        None,
        (),
        OPENAI,
    ),
]

CUSTOM = {"type": "custom", "id": "a", "custom": {"name": "f", "input": "x"}}


def calls_with(**fields: object) -> History:
    """Return an exchange whose call has these fields beside its own."""
    return [GO, assistant(calls=[call(ID, **fields)]), tool(ID)]


TYPES = [
    Case(
        "a call without a type is one of a function",
        [GO, assistant(calls=[without(call("a"), "type")]), tool("a")],
        [GO, assistant(calls=[call("a")]), tool("a")],
        [("replaced", 1, "call_type")],
        OPENAI,
    ),
    Case(
        "a custom call without a type is one of a custom tool",
        [GO, assistant(calls=[without(CUSTOM, "type")]), tool("a")],
        [GO, assistant(calls=[CUSTOM]), tool("a")],
        [("replaced", 1, "call_type")],
        OPENAI,
    ),
    Case(
        "the input of a custom call is a text",
        [GO, assistant(calls=[{**CUSTOM, "custom": {"name": "f", "input": {"x": 1}}}]), tool("a")],
        [GO, assistant(calls=[{**CUSTOM, "custom": {"name": "f", "input": '{"x": 1}'}}]), tool("a")],
        [("replaced", 1, "arguments")],
        OPENAI,
    ),
    Case(
        "a custom call of no tool goes",
        [GO, assistant("b", calls=[{**CUSTOM, "custom": {"input": "x"}}])],
        [GO, assistant("b")],
        [("dropped", 1, "call_unreadable")],
        OPENAI,
    ),
    Case("OpenAI takes other fields of a call", calls_with(index=0), None, (), OPENAI),
    *(
        Case(
            f"{profile.name} takes no index on a call",
            calls_with(index=0),
            calls_with(),
            [("dropped", 1, "refused_field")],
            profile,
        )
        for profile in (COHERE, MISTRAL, CHAT_TEMPLATE_MISTRAL)
    ),
    Case(
        "a call's unknown fields go, each with its place",
        calls_with(index=0, provider_specific_fields={"x": 1}, function=PARSED),
        calls_with(),
        [("dropped", 1, "refused_field")] * 3,
        COHERE,
    ),
]

LEGACY = [
    Case(
        "a legacy result without a name gets its call's",
        [GO, legacy_call("f"), {"role": "function", "content": "1"}],
        [GO, legacy_call("f"), {"role": "function", "content": "1", "name": "f"}],
        [("replaced", 2, "legacy_function")],
        OPENAI,
    ),
    Case(
        "a legacy result behind a tool call becomes a tool result",
        [GO, assistant(calls=[call("a", "g")]), {"role": "function", "name": "g", "content": "1"}],
        [
            GO,
            assistant(calls=[call("a", "g")]),
            {"role": "tool", "name": "g", "content": "1", "tool_call_id": "a"},
        ],
        [("replaced", 2, "legacy_function"), ("replaced", 2, "result_id")],
        OPENAI,
    ),
    Case(
        "a tool result behind a legacy call becomes a legacy result",
        [GO, legacy_call("f"), tool("a", "1")],
        [GO, legacy_call("f"), {"role": "function", "content": "1", "name": "f"}],
        [("replaced", 2, "legacy_function")],
        OPENAI,
    ),
    Case(
        "legacy arguments are a string as well",
        [GO, legacy_call("f", [1, 2]), legacy_result("f")],
        [GO, legacy_call("f", "[1, 2]"), legacy_result("f")],
        [("replaced", 1, "arguments")],
        OPENAI,
    ),
    Case(
        "a nameless result of nothing is left to orphan_drop",
        [GO, {"role": "function", "content": "1"}],
        None,
        (),
        OPENAI,
    ),
]


@pytest.mark.parametrize("case", [*CALLS, *TYPES, *LEGACY], ids=lambda case: case.id)
def test_each_call_gets_a_form_that_can_be_sent(case: Case) -> None:
    """An arguments text that is no JSON object is kept under ``_raw``.

    OpenAI accepts any text, so there the text stays unchanged.
    """
    check(normalize_shape, case)
