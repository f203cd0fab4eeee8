"""Tests that the shared fields of requests are read, or refused with an error that names the field."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from proxy.core.errors import InvalidRequest
from proxy.ingress import json_fields
from proxy.ingress.json_fields import load_object, read_model, refuse_nesting, take_stream_switches


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b"1", b"null", b"\xff", b'{"a":NaN}'])
def test_body_that_is_no_json_object_is_refused(body: bytes) -> None:
    """The error says whether the body is no valid JSON or no JSON object."""
    with pytest.raises(InvalidRequest, match=r"^The body (is not valid JSON: |must be a JSON object\.)"):
        load_object(body)


def test_error_has_line_and_column_and_quotes_nothing() -> None:
    """The error need not quote the body, since the client has the body."""
    with pytest.raises(InvalidRequest) as refused:
        load_object(b'{"secret": zzmadeup}')

    assert "zzmadeup" not in refused.value.message
    assert "line 1, column" in refused.value.message


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("body", [b'{"a": 1}', b'{"a": '])
def test_garbage_collection_is_off_only_while_a_large_body_is_decoded(
    monkeypatch: pytest.MonkeyPatch, body: bytes, enabled: bool
) -> None:
    """Garbage collection is restored after decoding, also if the body cannot be decoded."""
    while_decoding: list[bool] = []

    def noted(given: bytes) -> Any:
        while_decoding.append(gc.isenabled())
        return orjson.loads(given)

    monkeypatch.setattr(json_fields, "_COLLECTED", 1)
    decoder = SimpleNamespace(loads=noted, JSONDecodeError=orjson.JSONDecodeError)
    monkeypatch.setattr(json_fields, "orjson", decoder)
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        if body.endswith(b"}"):
            assert load_object(body) == {"a": 1}
        else:
            with pytest.raises(InvalidRequest):
                load_object(body)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()
    assert while_decoding == [False]


@pytest.mark.parametrize("fields", [{}, {"model": None}, {"model": ""}, {"model": 3}, {"model": ["m"]}])
def test_model_must_be_a_text_that_is_not_empty(fields: dict[str, Any]) -> None:
    """``param`` names the field."""
    with pytest.raises(InvalidRequest, match="'model' is required") as refused:
        read_model(fields)

    assert refused.value.param == "model"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, (False, False)),
        ({"stream": True}, (True, False)),
        ({"stream": False, "stream_options": {"include_usage": True}}, (False, True)),
        ({"stream": True, "stream_options": {"include_usage": True}}, (True, True)),
        ({"stream": True, "stream_options": {"include_usage": None}}, (True, False)),
        ({"stream_options": {}}, (False, False)),
    ],
)
def test_streaming_switches_are_removed_from_the_parameters(
    known: dict[str, Any], expected: tuple[bool, bool]
) -> None:
    """The other parameters stay."""
    given = {**known, "n": 1}

    assert take_stream_switches(given) == expected
    assert given == {"n": 1}


@pytest.mark.parametrize("value", [1, "true", [], {}])
def test_include_usage_must_be_a_boolean(value: Any) -> None:
    """``param`` names the field."""
    with pytest.raises(InvalidRequest) as refused:
        take_stream_switches({"stream_options": {"include_usage": value}})

    assert refused.value.param == "stream_options.include_usage"


@pytest.mark.parametrize(("depth", "fits"), [(3, True), (2, False)])
def test_body_nested_over_the_limit_is_refused(depth: int, fits: bool) -> None:
    """The object itself is the first level."""
    fields = {"a": [{"b": 1}]}
    if fits:
        refuse_nesting(fields, depth)
        return
    with pytest.raises(InvalidRequest, match="nested deeper than 2 levels"):
        refuse_nesting(fields, depth)
