"""A request's fields are read with their meaning for chat, and faults name the client's field."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.openai_responses.fields import ResponsesFields, read_fields
from sanitizers import Change

USER = {"type": "message", "role": "user", "content": "Hi."}


def read(fields: dict[str, Any] | None = None, *, mends: bool = True) -> ResponsesFields:
    """Read a request with *fields*."""
    body = json.dumps({"model": "m", "input": "Hi.", **(fields or {})}).encode()
    return read_fields(body, max_nesting=50, mends=mends, weight=7)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"model": None}, "model"),
        ({"model": 1}, "model"),
        ({"input": None}, "input"),
        ({"input": []}, "input"),
        ({"input": 1}, "input"),
        ({"input": {"role": "user"}}, "input"),
        ({"input": [USER, "Hi."]}, "input[1]"),
        ({"input": [None]}, "input[0]"),
        ({"background": True}, "background"),
        ({"background": "yes"}, "background"),
        ({"prompt": "pmpt_1"}, "prompt"),
        ({"prompt": {"version": "1"}}, "prompt"),
        ({"previous_response_id": "resp_1", "conversation": "conv_1"}, "previous_response_id"),
        ({"messages": [USER]}, "messages"),
        ({"response_format": {"type": "text"}}, "response_format"),
        ({"functions": []}, "functions"),
        ({"text": {"format": {"type": "json_schema", "schema": {}}}}, "text.format.name"),
        ({"metadata": {str(at): "" for at in range(17)}}, "metadata"),
        ({str(at): 1 for at in range(1_100)}, "1024"),
    ],
)
def test_a_faulty_field_is_named(fields: dict[str, Any], param: str) -> None:
    """The error has the field in `param`, and the model for the log."""
    with pytest.raises(InvalidRequest) as refused:
        read(fields)

    assert refused.value.param == param
    assert refused.value.asked_model == ("m" if fields.get("model", "m") == "m" else "")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'{"model": "\xff"}', b"[" * 100_000])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    """The faults of JSON are refused as in any format."""
    with pytest.raises(InvalidRequest):
        read_fields(body, max_nesting=50, mends=True)


def test_deep_nesting_is_refused() -> None:
    """Nesting is bounded in every field, also in an unknown one."""
    deep: Any = {}
    for _ in range(60):
        deep = [deep]
    for fields in (
        {"input": [{"content": deep}]},
        {"client_metadata": deep},
        {"tools": [{"parameters": deep}]},
    ):
        with pytest.raises(InvalidRequest, match="nested deeper than 50"):
            read(fields)


def test_the_usual_request_has_the_usual_values() -> None:
    """A text is one user message, and a response is stored and not streamed unless the client says so."""
    found = read()

    assert found.items == [USER]
    assert (found.store, found.stream, found.truncation, found.shows_thoughts) == (
        True,
        False,
        "disabled",
        False,
    )
    assert (dict(found.parameters), dict(found.unknown), found.changes) == ({}, {}, ())
    assert (found.model, found.instructions, found.tools, found.tool_choice) == ("m", None, None, None)
    assert (found.include, found.weight, found.echo["model"]) == (frozenset(), 7, "m")


def test_null_is_a_field_that_is_not_set() -> None:
    """Clients write null for what they leave out."""
    names = (
        "background",
        "include",
        "prompt",
        "metadata",
        "text",
        "tools",
        "store",
        "stream",
        "reasoning",
        "foo",
    )

    found, usual = read(dict.fromkeys(names)), read()

    assert found.echo == usual.echo
    assert (found.store, found.stream, found.tools, dict(found.unknown)) == (True, False, None, {})


@pytest.mark.parametrize(
    ("fields", "parameters"),
    [
        ({"max_output_tokens": 9}, {"max_completion_tokens": 9}),
        ({"temperature": 0, "top_p": 0.5}, {"temperature": 0, "top_p": 0.5}),
        ({"parallel_tool_calls": False}, {"parallel_tool_calls": False}),
        ({"reasoning": {"effort": "low", "summary": "auto"}}, {"reasoning_effort": "low"}),
        ({"text": {"verbosity": "high"}}, {"verbosity": "high"}),
        ({"text": {"format": {"type": "text"}}}, {}),
        ({"text": {"format": {"type": "json_object"}}}, {"response_format": {"type": "json_object"}}),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": {"a": 1}, "strict": True}}},
            {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "n", "schema": {"a": 1}, "strict": True},
                }
            },
        ),
        (
            {"text": {"format": {"type": "json_schema", "name": "n", "schema": {}, "strict": None}}},
            {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": {}}}},
        ),
        ({"include": ["message.output_text.logprobs"]}, {"logprobs": True}),
        (
            {"include": ["message.output_text.logprobs"], "top_logprobs": 2},
            {"logprobs": True, "top_logprobs": 2},
        ),
        ({"top_logprobs": 2}, {}),
        ({"user": "u", "safety_identifier": "s"}, {"user": "u", "safety_identifier": "s"}),
        (
            {"prompt_cache_key": "k", "service_tier": "flex"},
            {"prompt_cache_key": "k", "service_tier": "flex"},
        ),
        ({"store": False, "metadata": {"a": "b"}, "max_tool_calls": 1, "truncation": "auto"}, {}),
    ],
)
def test_chat_parameters_follow_from_fields(fields: dict[str, Any], parameters: dict[str, Any]) -> None:
    """Each field with a counterpart in chat is sent as that, and others are not."""
    assert dict(read(fields).parameters) == parameters


@pytest.mark.parametrize("reasoning", [{"summary": "auto"}, {"generate_summary": "detailed"}])
def test_a_summary_that_is_asked_for_shows_thoughts(reasoning: dict[str, Any]) -> None:
    """The older name of the field asks for a summary as well."""
    assert read({"reasoning": reasoning}).shows_thoughts


def test_unknown_fields_are_kept_apart() -> None:
    """Fields that no model here knows are accepted, for the report of what was dropped."""
    given: dict[str, Any] = {
        "client_metadata": {"a": 1},
        "context_management": [],
        "moderation": {},
        "stop": ["a"],
        "n": 2,
    }

    assert dict(read(given).unknown) == given
    assert dict(read(given).parameters) == {}


@pytest.mark.parametrize(
    "named", [{"previous_response_id": "resp_1"}, {"conversation": "c"}, {"conversation": {"id": "c"}}]
)
def test_a_stored_history_needs_no_input(named: dict[str, Any]) -> None:
    """The history is in the store, and the request may add nothing."""
    nothings: tuple[Any, ...] = (None, [])
    for nothing in nothings:
        found = read({"input": nothing, **named})

        assert found.items == []
        assert "resp_1" == found.previous_response_id or found.conversation == "c"


def test_a_half_character_in_an_item_is_mended_and_reported() -> None:
    """The items are mended where that is allowed, and the body is the one that was parsed."""
    items = [USER, {"type": "function_call_output", "call_id": "a", "output": "cut \ud83d"}]

    found = read({"input": items})

    assert found.items[1]["output"] == "cut \ufffd"
    assert found.changes == (Change("shape", "replaced", 1, "half_character"),)
    assert json.loads(found.body)["input"] == found.items
    with pytest.raises(InvalidRequest):
        read({"input": items}, mends=False)


@pytest.mark.parametrize("deep", [0, 1, 2])
def test_nesting_is_found_in_each_item(deep: int) -> None:
    """Items that hold texts alone are not searched, and hide no nested one behind them."""
    items: list[Any] = [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"} for _ in range(3)
    ]
    items[deep]["x"] = [[[[1]]]]
    given = json.dumps({"model": "m", "input": items}).encode()

    assert read_fields(given, max_nesting=7).model == "m"
    with pytest.raises(InvalidRequest, match="nested deeper than 6 levels"):
        read_fields(given, max_nesting=6)
