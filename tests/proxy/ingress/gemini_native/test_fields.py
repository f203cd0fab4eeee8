"""Tests of reading the fields of a request to Gemini."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.fields import MAX_CONTENTS, GeminiFields, read_fields

HI = {"role": "user", "parts": [{"text": "Hi."}]}


def read(
    *, model: str = "m", max_nesting: int = 50, wants_answer: bool = True, **fields: Any
) -> GeminiFields:
    """Read a request with *fields* beside its contents."""
    body = json.dumps({"contents": [HI], **fields}).encode()
    return read_fields(body, model=model, max_nesting=max_nesting, wants_answer=wants_answer)


def refused(**fields: Any) -> InvalidRequest:
    """Return the error for a request with *fields*."""
    with pytest.raises(InvalidRequest) as caught:
        read(**fields)
    assert caught.value.asked_model == fields.get("model", "m")
    return caught.value


def test_smallest_request_has_contents_alone() -> None:
    """The model and the stream are those of the path."""
    body = json.dumps({"contents": [HI]}).encode()
    fields = read_fields(body, model="m", stream=True, max_nesting=50, weight=7)

    assert (fields.model, fields.stream, fields.items, fields.body) == ("m", True, [HI], body)
    assert (fields.given, fields.parameters, fields.unknown, fields.needs) == ({}, {}, {}, ())
    assert (fields.changes, fields.conversion, fields.include_thoughts, fields.weight) == ((), (), False, 7)


@pytest.mark.parametrize(
    ("camel", "snake"),
    [
        (
            {
                "systemInstruction": {"parts": {"text": "s"}},
                "toolConfig": {},
                "safetySettings": [],
                "generationConfig": {"topK": 1, "thinkingConfig": {"includeThoughts": True}},
                "cachedContent": "cachedContents/c",
            },
            {
                "system_instruction": {"parts": {"text": "s"}},
                "tool_config": {},
                "safety_settings": [],
                "generation_config": {"top_k": 1, "thinking_config": {"include_thoughts": True}},
                "cached_content": "cachedContents/c",
            },
        )
    ],
)
def test_both_spellings_say_the_same(camel: dict[str, Any], snake: dict[str, Any]) -> None:
    """The fields for a provider that speaks the API keep the client's own."""
    one, other = read(**camel), read(**snake)

    for name in ("system", "tool_config", "parameters", "unknown", "needs", "include_thoughts"):
        assert getattr(one, name) == getattr(other, name)
    assert one.include_thoughts
    assert (one.given, other.given) == (camel, snake)


@pytest.mark.parametrize(
    ("one", "other", "param"),
    [
        ("systemInstruction", "system_instruction", "systemInstruction"),
        ("cachedContent", "cached_content", "cachedContent"),
        ("generationConfig", "generation_config", "generationConfig"),
    ],
)
def test_field_in_both_spellings_is_refused(one: str, other: str, param: str) -> None:
    """The provider might take the one that was not checked."""
    value: Any = "x" if param == "cachedContent" else {}

    assert refused(**{one: value, other: value}).param == param


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"contents": None}, "contents"),
        ({"contents": []}, "contents"),
        ({"contents": "Hi."}, "contents"),
        ({"contents": [HI, "Hi."]}, "contents[1]"),
        ({"contents": [{}] * (MAX_CONTENTS + 1)}, "contents"),
        ({"tools": "x"}, "tools"),
        ({"generationConfig": {"topK": "x"}}, "generationConfig.topK"),
        ({"generation_config": {"top_k": 1, "topK": 1}}, "generationConfig.topK"),
        (
            {"generationConfig": {"thinkingConfig": {"thinking_budget": {}}}},
            "generationConfig.thinkingConfig.thinkingBudget",
        ),
        ({"labels": [1]}, "labels"),
        ({f"f{at}": 1 for at in range(1_025)}, "f1024"),
    ],
)
def test_faulty_field_is_refused_with_its_path(fields: dict[str, Any], param: str) -> None:
    """Google's clients show the message."""
    assert refused(**fields).param == param


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b'{"contents": NaN}'])
def test_body_that_is_no_object_is_refused(body: bytes) -> None:
    """There is no field to name."""
    with pytest.raises(InvalidRequest):
        read_fields(body, model="m", max_nesting=50)


def test_nesting_has_a_limit() -> None:
    """The depth is bounded before anything is read."""
    deep: Any = {}
    for _ in range(60):
        deep = {"a": deep}

    with pytest.raises(InvalidRequest, match="nested deeper than 50"):
        read(generationConfig={"responseSchema": deep})


def test_one_content_stands_for_a_list() -> None:
    """Google's own examples write an object."""
    assert read(contents=HI).items == [HI]


@pytest.mark.parametrize("contents", [None, []])
def test_count_may_have_no_contents(contents: Any) -> None:
    """Nothing is asked of a model."""
    assert read(contents=contents, wants_answer=False).items == []


@pytest.mark.parametrize(("path", "asked"), [("m", "m"), ("", "other")])
def test_model_of_the_path_counts(path: str, asked: str) -> None:
    """The provider does not get the body's name, which may be an alias."""
    fields = read(model=path) if not path else read(model=path, topic=1)
    named = read_fields(
        json.dumps({"model": "models/other", "contents": [HI], "topic": 1.0}).encode(),
        model=path,
        max_nesting=50,
    )

    assert named.model == asked
    assert "model" not in named.given
    assert named.body == b'{"contents":[{"role": "user", "parts": [{"text": "Hi."}]}],"topic":1.0}'
    assert fields.model == path


def test_fields_of_gemini_alone_are_unknown_to_a_chat() -> None:
    """They are reported as dropped. Known names are spelled in camel case, for the operator's list of allowed ones."""
    fields = read(safety_settings=[{}], labels={"a": "b"}, store=True, foo=1, bar=None)

    assert fields.unknown == {"safetySettings": [{}], "labels": {"a": "b"}, "store": True, "foo": 1}
    assert fields.given["safety_settings"] == [{}]


def test_cache_is_an_object_in_the_account() -> None:
    """The key that made the cache owns it."""
    [need] = read(cachedContent="cachedContents/abc").needs

    assert (need.param, need.names_object, need.can_be_left_out) == ("cachedContent", True, False)
    assert "abc" not in need.message
    assert read(cachedContent="").needs == ()


@pytest.mark.parametrize(
    ("tier", "parameters"),
    [
        ("flex", {"service_tier": "flex"}),
        ("PRIORITY", {"service_tier": "priority"}),
        ("standard", {"service_tier": "default"}),
        ("SERVICE_TIER_UNSPECIFIED", {}),
        ("a later word", {}),
        (1, {}),
    ],
)
def test_tier_is_that_of_a_chat(tier: Any, parameters: dict[str, str]) -> None:
    """Words of a later version stay with Gemini."""
    assert read(serviceTier=tier).parameters == parameters


def test_half_character_is_mended_where_that_is_allowed() -> None:
    """The change names the content."""
    body = b'{"contents":[{"parts":[{"text":"a"}]},{"parts":[{"text":"\\ud83d"}]}]}'
    fields = read_fields(body, model="m", max_nesting=50, mends=True)

    assert [(change.index, change.reason) for change in fields.changes] == [(1, "half_character")]
    with pytest.raises(InvalidRequest):
        read_fields(body, model="m", max_nesting=50)
