"""The response object has all keys, and repeats the request in its own form."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.ingress.openai_responses.echo import (
    RESPONSE_KEYS,
    ResponseHead,
    make_echo,
    make_response,
    write_usage,
)
from tests.support.responses_grammar import KEYS, find_response_faults

SCHEMA = {"type": "json_schema", "name": "n", "schema": {}}


def response_of(fields: dict[str, Any], status: str = "in_progress", **further: Any) -> dict[str, Any]:
    """Return the response object for a request with *fields*."""
    return make_response(
        ResponseHead("resp_1", 5, make_echo({"model": "m", **fields})), status, (), **further
    )


def test_the_keys_are_those_of_the_schema() -> None:
    """The 32 keys are there for the smallest request, and none is null that must not be."""
    found = response_of({})

    assert len(RESPONSE_KEYS) == 32
    assert found.keys() == KEYS == set(RESPONSE_KEYS)
    assert find_response_faults(found) == []


@pytest.mark.parametrize(
    ("name", "given", "repeated"),
    [
        ("instructions", "Be kind.", "Be kind."),
        ("max_output_tokens", 16, 16),
        ("max_tool_calls", 2, 2),
        ("metadata", {"a": "b"}, {"a": "b"}),
        ("metadata", None, {}),
        ("model", "m", "m"),
        ("parallel_tool_calls", False, False),
        ("previous_response_id", "resp_0", "resp_0"),
        ("prompt_cache_key", "k", "k"),
        ("reasoning", {"effort": "low", "x": 1}, {"effort": "low", "x": 1}),
        ("safety_identifier", "s", "s"),
        ("service_tier", "auto", "default"),
        ("service_tier", "flex", "flex"),
        ("store", False, False),
        ("temperature", 0, 0),
        ("text", {"verbosity": "low"}, {"verbosity": "low", "format": {"type": "text"}}),
        ("text", {"format": SCHEMA}, {"format": SCHEMA}),
        ("tool_choice", {"type": "custom", "name": "ex"}, {"type": "custom", "name": "ex"}),
        ("tools", [{"type": "custom", "name": "ex"}], [{"type": "custom", "name": "ex"}]),
        ("top_logprobs", 3, 3),
        ("top_p", 0.5, 0.5),
        ("truncation", "auto", "auto"),
        ("user", "u", "u"),
        ("conversation", "conv_1", {"id": "conv_1"}),
        ("conversation", {"id": "conv_1", "x": 1}, {"id": "conv_1"}),
    ],
)
def test_a_field_is_repeated(name: str, given: Any, repeated: Any) -> None:
    """Each field is repeated in the request's form."""
    assert response_of({name: given})[name] == repeated


def test_a_function_is_repeated_with_all_its_keys() -> None:
    """Typed clients need the keys that the request may leave out. Further keys stay."""
    tool = {"type": "function", "name": "f", "x": 1}

    assert response_of({"tools": [tool]})["tools"] == [
        {**tool, "description": None, "parameters": None, "strict": None}
    ]


def test_unknown_fields_are_not_repeated() -> None:
    """A field of the response that the client sends does not change it."""
    found = response_of({"status": "failed", "error": {}, "background": True, "frequency_penalty": 2, "x": 1})

    assert found == response_of({})


def test_the_request_is_not_changed() -> None:
    """The echo is made of new objects where it differs."""
    fields: dict[str, Any] = {"tools": [{"type": "function", "name": "f"}], "text": {}}
    make_echo(fields)

    assert fields == {"tools": [{"type": "function", "name": "f"}], "text": {}}


def test_usage_has_all_its_details() -> None:
    """Cached and reasoning tokens are details of the counts that include them. No usage stays no usage."""
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 5,
        "total_tokens": 15,
        "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 2, "audio_tokens": 1},
    }

    assert write_usage(usage) == {
        "input_tokens": 10,
        "input_tokens_details": {"cache_write_tokens": 3, "cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 15,
    }
    assert write_usage(None) is None
