"""Tests of an answer's JSON: lone surrogates are read, and invalid or deeply nested JSON is a fault."""

from __future__ import annotations

import json

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.core.errors import UpstreamFault
from proxy.upstream.wires.gemini import read_answer
from proxy.upstream.wires.payloads import load_payload
from tests.proxy.upstream.wires.gemini.test_answers import body, call
from tests.proxy.upstream.wires.gemini.test_reading_any_answer import _json


@given(st.binary(max_size=20) | _json.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_json_or_the_provider_s_fault(text: bytes) -> None:
    """Reading any bytes gives a JSON value, or raises ``UpstreamFault`` and no other exception."""
    try:
        value = load_payload(text)
    except UpstreamFault:
        return

    json.dumps(value, allow_nan=True)


NO_JSON = [b"", b"nonsense", b"\xff", b"NaN", b'{"a": Infinity}', b"[" * 100_000, b'"\\ud8"', b"1" * 10_000]
NO_JSON_WITH_A_SURROGATE = [b'{"x":"\\ud83d","y":NaN}', b'"\\ud83d"' + b"[" * 99_999, b'"\\ud83d']


@pytest.mark.parametrize("text", NO_JSON + NO_JSON_WITH_A_SURROGATE)
def test_invalid_json_is_the_provider_s_fault(text: bytes) -> None:
    """NaN and infinities are invalid too."""
    with pytest.raises(UpstreamFault, match="not JSON"):
        load_payload(text)


def test_lone_surrogate_is_read() -> None:
    """Some providers cut an escaped emoji in two."""
    payload = json.dumps(body({"text": "\ud83d"}, call(args={"a": "\ud83d"}))).encode()

    message = read_answer(load_payload(payload), model="m")["choices"][0]["message"]

    assert message["content"] == "\ud83d"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"a": "\ud83d"}


def test_invalid_json_without_surrogates_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such JSON is parsed only once, since a second parse of 64 MiB would take seconds."""
    monkeypatch.setattr("proxy.upstream.wires.payloads.json.loads", None)

    with pytest.raises(UpstreamFault, match="not JSON"):
        load_payload(b"<html>nothing</html>")


def test_answer_that_is_nested_too_deeply_is_the_provider_s_fault() -> None:
    """The proxy could not write such an answer out again."""
    deep = orjson.dumps(body({"text": "a"})).replace(b'"a"', b"[" * 300 + b"]" * 300)

    with pytest.raises(UpstreamFault, match="nested too deeply"):
        load_payload(deep)


@pytest.mark.parametrize(
    "text", [b"[" * 240 + b"]" * 240, b'["%b"]' % (b"[{" * 999), b"[%b[]]" % (b"[{}]," * 999)], ids=len
)
def test_brackets_that_are_not_nested_too_deeply_are_read(text: bytes) -> None:
    """Brackets in a text and in a long list add no level."""
    assert load_payload(text) == json.loads(text)
