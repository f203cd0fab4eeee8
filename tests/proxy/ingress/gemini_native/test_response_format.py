"""Tests of reading the form of the answer."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress.gemini_native.response_format import read_format

JSON = "application/json"
CONFIG = "generationConfig"


def schema_format(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the chat's format for *schema*."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


@pytest.mark.parametrize(
    ("settings", "form"),
    [
        ({}, None),
        ({"topK": 1}, None),
        ({"responseMimeType": "text/plain"}, None),
        ({"responseMimeType": ""}, None),
        ({"responseMimeType": "Application/JSON; charset=utf-8"}, {"type": "json_object"}),
        ({"responseMimeType": JSON, "responseSchema": {}}, {"type": "json_object"}),
        (
            {"responseMimeType": JSON, "responseSchema": {"type": "ARRAY", "min_items": 1}},
            schema_format({"type": "array", "minItems": 1}),
        ),
        ({"responseSchema": {"type": "STRING"}}, schema_format({"type": "string"})),
        ({"responseJsonSchema": {"type": "OBJECT"}}, schema_format({"type": "object"})),
        ({"_responseJsonSchema": {"type": "object"}}, schema_format({"type": "object"})),
        (
            {"responseSchema": {"type": "STRING"}, "responseJsonSchema": {"type": "integer"}},
            schema_format({"type": "integer"}),
        ),
        ({"responseFormat": []}, None),
        ({"responseFormat": {"text": {"mime_type": "APPLICATION_JSON"}}}, {"type": "json_object"}),
        (
            {"responseFormat": [{"text": {"mimeType": JSON, "schema": {"type": "STRING"}}}]},
            schema_format({"type": "string"}),
        ),
    ],
)
def test_form_is_that_of_a_chat(settings: dict[str, Any], form: Any) -> None:
    """A schema makes JSON of the answer, also where the MIME type is missing."""
    read = read_format(settings)

    assert (read.response_format, read.needs) == (form, ())


@pytest.mark.parametrize(
    ("settings", "param"),
    [
        ({"responseMimeType": "text/x.enum", "responseSchema": {"enum": ["a"]}}, "responseMimeType"),
        ({"responseFormat": [{"text": {"mimeType": "TEXT_X"}}]}, "responseFormat[0].text.mimeType"),
        ({"responseFormat": [{"image": {"mimeType": "image/png"}}]}, "responseFormat[0].image"),
    ],
)
def test_form_that_only_gemini_writes_is_a_need(settings: dict[str, Any], param: str) -> None:
    """Another model would answer with something else."""
    read = read_format(settings)

    assert read.response_format is None
    assert [need.param for need in read.needs] == [f"{CONFIG}.{param}"]


@pytest.mark.parametrize(
    ("settings", "param"),
    [
        ({"responseMimeType": 1}, "responseMimeType"),
        ({"responseSchema": "x"}, "responseSchema"),
        ({"responseJsonSchema": True}, "responseJsonSchema"),
        ({"responseSchema": {"enum": [""] * 70_000}}, "responseSchema"),
        ({"responseFormat": "x"}, "responseFormat[0]"),
        ({"responseFormat": [{}] * 17}, "responseFormat"),
        ({"responseFormat": [{}, {"text": 1}]}, "responseFormat[1].text"),
        ({"responseFormat": [{"text": {"schema": 1}}]}, "responseFormat[0].text.schema"),
        ({"responseFormat": [{"text": {"mimeType": 1}}]}, "responseFormat[0].text.mimeType"),
    ],
)
def test_unreadable_form_is_refused_with_its_path(settings: dict[str, Any], param: str) -> None:
    """No value is named."""
    with pytest.raises(InvalidRequest) as caught:
        read_format(settings)
    assert caught.value.param == f"{CONFIG}.{param}"
