"""Tests of bodies that are the client's own, but for what the plan has changed."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.core.json_text import write_json
from proxy.core.source import GeminiRequest
from proxy.core.upstream_call import Timeouts, UpstreamCall
from proxy.ingress.gemini_native.fields import read_fields
from proxy.ingress.gemini_native.read_request import to_chat
from proxy.upstream.wires.gemini.native_requests import build_native_request, changed_fields
from tests.proxy.upstream.deployments import deployment_of

MODEL = "gemini-3.6-flash"
GEMINI = deployment_of(f"gemini/{MODEL}", api_key="ours")
BODY: dict[str, Any] = {
    "system_instruction": {"parts": [{"text": "Be brief."}]},
    "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    "tools": [{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}],
    "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
    "generationConfig": {"temperature": 0.5, "topK": 3, "thinkingConfig": {"thinking_level": "high"}},
    "safetySettings": [],
    "unheardOf": 1.0,
}


def call_of(body: bytes | None = None, extra: dict[str, Any] | None = None, **fields: Any) -> UpstreamCall:
    """Return the call of *body*, or of :data:`BODY` with *fields*, as it was planned without any change."""
    given = write_json({**BODY, **fields}) if body is None else body
    chat = to_chat(read_fields(given, model="m", max_nesting=100)).chat
    return UpstreamCall(
        deployment=GEMINI,
        messages=chat.messages,
        parameters=chat.parameters,
        extra_body=extra or {},
        timeouts=Timeouts(1, 1, 1, 1),
        source=chat.source,
    )


def native_of(call: UpstreamCall) -> GeminiRequest:
    """Return the native form of the request of *call*."""
    assert call.source is not None
    assert isinstance(call.source.native, GeminiRequest)
    return call.source.native


def changed(fields: dict[str, Any] | None = None, **parameters: Any) -> dict[str, Any]:
    """Return the fields that change where the plan has other *parameters*. None removes one."""
    call = call_of(**(fields or {}))
    native = native_of(call)
    planned = {**native.parameters, **parameters}
    bare = {name: value for name, value in planned.items() if value is not None}
    return changed_fields(native, bare, call.rules, MODEL)


@pytest.mark.parametrize("indent", [None, 1])
def test_unchanged_request_is_its_clients_bytes(indent: int | None) -> None:
    """Spaces, escapes, numbers, spellings and unknown fields stay."""
    body = json.dumps(BODY, indent=indent).encode().replace(b'"hi"', b'"h\\u0069"')

    assert build_native_request(call_of(body)) == body


def test_body_with_a_key_twice_is_written_as_it_was_read() -> None:
    """Google might read the other one of the two, and so another history than was checked."""
    body = b'{"contents":[{"role":"user","role":"user","parts":[{"text":"a","text":"b"}]}],"n":{"a":1,"a":2}}'

    assert json.loads(build_native_request(call_of(body))) == {
        "contents": [{"role": "user", "parts": [{"text": "b"}]}],
        "n": {"a": 2},
    }
    assert build_native_request(call_of(body)).count(b'"role"') == 1


def test_only_the_changed_fields_are_written_anew() -> None:
    """A field that stays keeps its bytes."""
    call = call_of(json.dumps(BODY).encode())
    native = replace(
        native_of(call), are_own=False, items=[{"role": "user"}], changed={"system_instruction": None}
    )
    assert call.source is not None
    call = replace(call, source=replace(call.source, native=native))
    sent = build_native_request(call)

    assert b'"unheardOf":1.0' in sent
    expected = {**BODY, "contents": [{"role": "user"}]}
    del expected["system_instruction"]
    assert json.loads(sent) == expected


def test_changed_parameters_go_into_the_fields_that_the_plan_has_changed() -> None:
    """A setting that was refused does not come back with another one."""
    call = call_of()
    native = replace(native_of(call), changed={"generationConfig": {"topK": 3}})
    assert call.source is not None
    call = replace(
        call,
        source=replace(call.source, native=native),
        parameters={**native.parameters, "temperature": 1},
    )

    assert json.loads(build_native_request(call))["generationConfig"] == {"topK": 3, "temperature": 1}


def test_plan_that_changes_nothing_changes_no_field() -> None:
    """The same parameters, or equal ones."""
    native = native_of(call_of())

    assert changed_fields(native, native.parameters, call_of().rules, MODEL) == {}
    assert changed() == {}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("auto", {"functionCallingConfig": {"mode": "AUTO"}}),
        ("none", {"functionCallingConfig": {"mode": "NONE"}}),
        (None, None),
    ],
)
def test_plain_choice_is_written_in_geminis_form(value: str | None, written: Any) -> None:
    """Names that were allowed before are left out, since the choice is another one."""
    assert changed(tool_choice=value) == {"toolConfig": written}
    snake = {
        "tool_config": {"function_calling_config": {"mode": "ANY"}, "retrieval_config": {}},
        "toolConfig": None,
    }
    kept = {} if value is None else {"function_calling_config": {"mode": value.upper()}}
    assert changed(snake, tool_choice=value) == {"tool_config": {**kept, "retrieval_config": {}}}


def test_tier_is_written_in_geminis_words() -> None:
    """A tier that Gemini has no word for is left out."""
    assert changed(service_tier="flex") == {"serviceTier": "FLEX"}
    assert changed({"service_tier": "PRIORITY"}, service_tier=None) == {"service_tier": None}
    assert changed({"service_tier": "PRIORITY"}, service_tier="scale") == {"service_tier": None}


def test_fields_of_the_operator_replace_those_of_the_client() -> None:
    """They stand under the client's spelling, and settings of the client's stay."""
    extra = {
        "safety_settings": [{"category": "x"}],
        "labels": {"a": "b"},
        "generationConfig": {"temperature": 1, "top_k": 9, "mediaResolution": "LOW", "thinking_config": {}},
    }
    sent = json.loads(build_native_request(call_of(extra=extra)))

    assert sent["safetySettings"] == [{"category": "x"}]
    assert sent["labels"] == {"a": "b"}
    assert sent["generationConfig"] == {**BODY["generationConfig"], "mediaResolution": "LOW"}


@pytest.mark.parametrize("extra", [{"contents": []}, {"system_instruction": {}}, {"generationConfig": 7}])
def test_fields_of_the_history_are_not_the_operators(extra: dict[str, Any]) -> None:
    """They hold what was checked."""
    with pytest.raises(InvalidRequest):
        build_native_request(call_of(extra=extra))
