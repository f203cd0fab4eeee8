"""Tests that the emulator's judge accepts or refuses any JSON without raising, and does not change it."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.emulator import judge
from proxy.emulator.answers import compose
from proxy.emulator.judge import read_request
from proxy.emulator.messages import MESSAGES
from proxy.emulator.models import generation_of
from proxy.emulator.replies import chunks, whole
from tests.proxy.emulator.wire import GENERATIONS, fc, fr, image, text

NAMES = sorted({name for fields in MESSAGES.values() for name in fields})
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYS = st.sampled_from(NAMES) | st.text(max_size=4)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=30,
)
SCHEMA_FIELDS = ["type", "format", "enum", "items", "maxItems", "properties", "required", "minimum", "anyOf"]
KEYWORDS = st.sampled_from([*SCHEMA_FIELDS, "prefixItems", "$ref", "$defs", "a", "b"])
SCHEMA_VALUES = SCALARS | st.sampled_from(["OBJECT", "ARRAY", "STRING", "#/$defs/a", "#", "a"])
SCHEMAS = st.recursive(
    SCHEMA_VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=20,
)
PARTS = st.sampled_from(
    [
        text(),
        text(""),
        fc(),
        fc("g"),
        fc(sign=False),
        fc(call_id="a"),
        fr(),
        fr("g"),
        fr(call_id="a"),
        image(),
        {},
    ]
)
ROLES = st.sampled_from(["user", "model", "tool", "function", "assistant", ""])
CONTENTS = st.lists(st.fixed_dictionaries({"role": ROLES, "parts": st.lists(PARTS, max_size=3)}), max_size=6)
MODELS = st.sampled_from(GENERATIONS)


@given(model=MODELS | st.text(max_size=12), body=JSON)
def test_judge_never_raises(model: str, body: Any) -> None:
    """For any JSON as the body, the judge accepts or returns a refusal with a text. The body is not changed."""
    before = copy.deepcopy(body)

    refusal = judge(model, body)

    assert refusal is None or refusal.message
    assert repr(before) == repr(body)


@given(model=MODELS, body=st.dictionaries(st.sampled_from(NAMES), JSON, max_size=4), contents=CONTENTS)
def test_judge_never_raises_for_nearly_right_bodies(model: str, body: dict[str, Any], contents: Any) -> None:
    """A body with contents and further fields of arbitrary values is judged. The verdict is the same each time."""
    given_body = {**body, "contents": contents}

    assert judge(model, given_body) == judge(model, given_body)


@given(model=MODELS, field=st.sampled_from(["parameters", "parametersJsonSchema"]), schema=SCHEMAS)
def test_judge_never_raises_for_schemas(model: str, field: str, schema: Any) -> None:
    """A schema of any keywords, in either field, gets the same verdict each time."""
    declaration = {"name": "f", field: schema}
    given_body = {
        "contents": [{"role": "user", "parts": [text()]}],
        "tools": [{"functionDeclarations": [declaration]}],
    }

    assert judge(model, given_body) == judge(model, given_body)
    assert judge(model, given_body, vertex=True) == judge(model, given_body, vertex=True)


@given(model=MODELS, contents=CONTENTS)
def test_every_accepted_body_gets_an_answer(model: str, contents: Any) -> None:
    """An accepted body always gets the same answer. The answer has one finish reason, whole and streamed."""
    body = {"contents": contents}
    generation = generation_of(model)
    assert generation is not None
    if judge(model, body) is not None:
        return
    request, _ = read_request(body)

    answer = compose(model, request, generation)

    assert answer == compose(model, request, generation)
    assert whole(answer)["candidates"][0]["finishReason"] == "STOP"
    assert ["finishReason" in chunk["candidates"][0] for chunk in chunks(answer)].count(True) == 1
